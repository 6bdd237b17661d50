import { missingOf } from '../recipes/guide'
import { CellGroup } from '../support/cells'
import { Haproxy } from '../support/haproxy'
import { freePort } from '../support/ports'

const EVERY_MS = 1_500

/**
 * `bun run demo cells`: two servers that share the work, with HAProxy before them if it is
 * installed, and customers who write to numbers of both. Returns what to look at, and how to end it.
 */
export async function startCells(): Promise<{ text: string; stop: () => Promise<void> }> {
  const group = await CellGroup.start()
  const front = await freePort()
  const [first, second] = group.cells
  if (!first || !second) throw new Error('two cells were started')
  const maps = await Promise.all([first, second].map((cell) => cell.command('cells', 'map')))
  const map = maps.map(({ out }) => out).join('')
  const missing = missingOf('haproxy')
  const proxy =
    missing === null
      ? await Haproxy.start(
          front,
          (mapPath) => configOf({ front, mapPath }, [first.port, second.port]),
          map,
        )
      : null
  await group.settled()
  const customers = group.cells.flatMap(({ lines }) =>
    lines.map(({ phoneNumberId }) => group.simulator.customer({ phone: phoneNumberId })),
  )
  const live = group.simulator.live({ customers, everyMs: EVERY_MS })
  const { email, password } = first.login
  const hostOf = (url: string): string => new URL(url).host
  return {
    text: `
Two cells share the work. Each has an organization with two numbers.

  Cell A      ${first.url}
  Cell B      ${second.url}
  ${proxy === null ? `Proxy       none: ${missing} is not installed` : `Proxy       http://127.0.0.1:${front}  (finds the cell of a token)`}
  Login       ${email} / ${password}, in each cell another account

A token of cell B finds its cell through the proxy:

  TOKEN=$(curl -s -H 'Host: ${hostOf(second.url)}' -H 'content-type: application/json' \\
    -d '{"email":"${email}","password":"${password}"}' http://127.0.0.1:${front}/api/auth/login | grep -o '"access_token":"[^"]*' | cut -d'"' -f4)
  curl -s -H "authorization: Bearer $TOKEN" http://127.0.0.1:${front}/api/accounts

The map of both cells:

${map.replaceAll(/^/gm, '  ')}
Ctrl+C ends everything and deletes its data.
`,
    async stop() {
      live.stop()
      await proxy?.[Symbol.asyncDispose]()
      await group[Symbol.asyncDispose]()
    },
  }
}

export const configOf = (
  { front, mapPath }: { front: number; mapPath: string },
  ports: number[],
): string =>
  [
    'defaults',
    '\tmode http',
    '\ttimeout connect 5s',
    '\ttimeout client 75s',
    '\ttimeout server 75s',
    '\ttimeout tunnel 1h',
    'frontend cells',
    `\tbind 127.0.0.1:${front}`,
    '\toption forwardfor',
    `\thttp-request set-var(txn.cell) hdr(host),lower,map(${mapPath})`,
    "\thttp-request set-var(txn.org) http_auth_bearer,jwt_payload_query('$.org')",
    "\thttp-request set-var(txn.org) url_param(token),jwt_payload_query('$.org') if !{ var(txn.org) -m found }",
    `\thttp-request set-var(txn.cell) var(txn.org),map(${mapPath}) if !{ var(txn.cell) -m found }`,
    '\tuse_backend %[var(txn.cell)] if { var(txn.cell) -m found }',
    `\tdefault_backend 127.0.0.1:${ports[0]}`,
    ...ports.flatMap((port) => [
      `backend 127.0.0.1:${port}`,
      '\toption httpchk GET /ready',
      `\tserver cell 127.0.0.1:${port} check inter 2s`,
    ]),
    '',
  ].join('\n')
