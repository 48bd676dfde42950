package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

type stat struct {
	state      byte
	session    int
	startTicks uint64
}

// readStat reads /proc/PID/stat; see proc_pid_stat(5). The second field is the command's
// name in parentheses and may itself hold blanks and parentheses.
func readStat(pid int) (stat, error) {
	path := "/proc/" + strconv.Itoa(pid) + "/stat"
	data, err := os.ReadFile(path)
	if err != nil {
		return stat{}, err
	}
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return stat{}, fmt.Errorf("%s: no command name", path)
	}
	fields := bytes.Fields(data[end+1:])
	// The manual counts fields from 1; these are 3, 6 and 22 there, and 3 comes first here.
	const state, session, startTime = 0, 3, 19
	if len(fields) <= startTime {
		return stat{}, fmt.Errorf("%s: %d fields", path, len(fields))
	}
	result := stat{state: fields[state][0]}
	if result.session, err = strconv.Atoi(string(fields[session])); err != nil {
		return stat{}, fmt.Errorf("%s: %w", path, err)
	}
	if result.startTicks, err = strconv.ParseUint(string(fields[startTime]), 10, 64); err != nil {
		return stat{}, fmt.Errorf("%s: %w", path, err)
	}
	return result, nil
}

// session lists the living processes of the session that p leads. A session's id is its
// leader's process id, which the kernel gives to nobody else while a member is left; so
// when another process has that id now, the session is gone.
func (p *Process) session() []int {
	if leader, err := readStat(p.PID); err == nil && leader.startTicks != p.StartTicks {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		member, err := readStat(pid)
		if err == nil && member.session == p.PID && member.state != 'Z' && member.startTicks >= p.StartTicks {
			pids = append(pids, pid)
		}
	}
	return pids
}
