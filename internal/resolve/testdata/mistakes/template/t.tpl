${x} ${y} ${y}
${zz} ${nofn(1)}
${upper(1, 2)} ${lower()} ${try(none(1), "")} ${x == 1 && never(1)}
