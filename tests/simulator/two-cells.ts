import { missingOf } from '../recipes/guide'
import { CellGroup, type Cell } from '../support/cells'
import { Haproxy } from '../support/haproxy'
import { organizationIn } from '../support/killed-move'
import { moveOf } from '../support/moves'
import { freePort } from '../support/ports'

const EVERY_MS = 1_500

/** When the organization begins to move. */
const MOVE_AFTER_MS = 15_000

/**
 * `bun run demo:cells`: two servers that share the work, with HAProxy before them if it is
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
  const mover = await organizationIn(group, { nth: 0, cell: first })
  const customers = group.cells.flatMap(({ lines }) =>
    lines.map(({ phoneNumberId }) => group.simulator.customer({ phone: phoneNumberId })),
  )
  customers.push(group.simulator.customer({ phone: mover.line.phoneNumberId }))
  const live = group.simulator.live({ customers, everyMs: EVERY_MS })
  const move = setTimeout(() => void showMove([first, second], mover), MOVE_AFTER_MS)
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

In ${MOVE_AFTER_MS / 1_000} seconds, a third organization moves from cell A to cell B while its customers write. The command
"switchboard organization move" does the same.

The map of both cells:

${map.replaceAll(/^/gm, '  ')}
Ctrl+C ends everything and deletes its data.
`,
    async stop() {
      clearTimeout(move)
      live.stop()
      await proxy?.[Symbol.asyncDispose]()
      await group[Symbol.asyncDispose]()
    },
  }
}

/** Moves an organization to the other cell and prints each step. */
async function showMove(
  [from, to]: [Cell, Cell],
  { client, id }: Awaited<ReturnType<typeof organizationIn>>,
): Promise<void> {
  const startedMs = performance.now()
  await client.post(`/api/admin/organizations/${id}/move`, { to: to.url })
  for (let shown = ''; ;) {
    const move = moveOf(from)
    if (move === undefined) return
    if (move.step !== shown)
      process.stdout.write(
        `  ${((performance.now() - startedMs) / 1_000).toFixed(1)} s  ${move.step}\n`,
      )
    shown = move.step
    if (move.thawed_at_ms !== null) break
    await Bun.sleep(5)
  }
  const count = (cell: Cell): number =>
    cell.rows<{ n: number }>('select count(*) as n from messages where organization_id = ?', id)[0]
      ?.n ?? 0
  process.stdout.write(
    `  Cell A answers 409 with the address of cell B, which has ${count(to)} messages of it.\n`,
  )
}

/** Returns the configuration of HAProxy before two cells. */
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
