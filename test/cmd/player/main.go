package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/kupenstack/kupenstack-sync/test/cluster/player"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	kubeconfig := flag.String("kubeconfig", "", "how the cluster is reached, as its administrator")
	logs := flag.String("logs", "", "the directory that the cluster's kubelets read what containers say in")
	flag.Parse()
	err := run(ctx, *kubeconfig, *logs)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, logs string) error {
	if kubeconfig == "" || logs == "" {
		return errors.New("player: --kubeconfig and --logs are needed")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("player: %w", err)
	}
	config.QPS = -1 // no limit, as for all clients of the bed
	return player.Run(ctx, config, player.Options{LogDir: logs})
}
