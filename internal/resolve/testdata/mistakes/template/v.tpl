${x} ${nofunc(1)}
