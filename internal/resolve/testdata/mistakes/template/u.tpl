${x} ${y}
${zz} ${nofun(1)}
${upper(1, 2)} ${parseint(x, 10)}
