/**
 * The part of curl that the commands of the documentation need, for machines without it: -s, -H, -d,
 * -X and one URL.
 * Writes the response to standard output.
 */
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    request: { type: 'string', short: 'X' },
  },
})
const response = await fetch(positionals[0] ?? '', {
  headers: values.header.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ]),
  ...(values.data === undefined ? {} : { method: values.request ?? 'POST', body: values.data }),
})
await Bun.write(Bun.stdout, await response.text())
