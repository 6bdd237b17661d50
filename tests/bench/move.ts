import { configOf } from '../simulator/two-cells'
import { combine, textMessage, type BusinessNumber } from '../../src/simulator/payloads'
import { CellGroup, type Cell } from '../support/cells'
import type { Loose } from '../support/client'
import { Haproxy } from '../support/haproxy'
import { organizationIn } from '../support/killed-move'
import { freePort } from '../support/ports'
import { missingOf } from '../recipes/guide'
import { machineOf, save } from './report'

/** Messages that the organization has before it moves. */
const MESSAGES = Number(process.env['MOVE_MESSAGES'] ?? 20_000)
const PER_BODY = 50
const CUSTOMERS = 500
const SOCKETS = 10

/** Webhooks a second, and how long they come before and after the move. */
const RATE = 100
const AROUND_MS = 3_000

interface Figures {
  posted: number
  refused: number
  lost: number
  doubled: number
  frozenS: number
  tookS: number
  closed: number
}

/**
 * Moves an organization between two cells behind HAProxy while customers write a hundred webhooks a
 * second and sockets are open. Prints how long it was frozen, and what was refused, lost or doubled.
 */
export async function benchMove({ isSaved }: { isSaved: boolean }): Promise<void> {
  const missing = missingOf('haproxy')
  if (missing !== null) return console.log(`Not measured: ${missing} is not installed.`)
  const figures = await measure()
  const report = [
    machineOf('/tmp'),
    '',
    `${MESSAGES} messages before the move, ${RATE} webhooks a second, ${SOCKETS} sockets. The servers, ` +
      'HAProxy and the load share the cores.',
    '',
    '| webhooks | refused | lost | doubled | sockets closed with 4409 | frozen | whole move |',
    '| ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    `| ${figures.posted} | ${figures.refused} | ${figures.lost} | ${figures.doubled} | ${figures.closed} | ${figures.frozenS.toFixed(1)} s | ${figures.tookS.toFixed(1)} s |`,
  ].join('\n')
  console.log(`\n${report}`)
  if (isSaved) save('move', report)
}

async function measure(): Promise<Figures> {
  await using group = await CellGroup.start({ linesEach: 1 })
  const [from, to] = group.cells as [Cell, Cell]
  for (const cell of group.cells) cell.server?.ignoreOutput()
  const { client, id: organization, line } = await organizationIn(group, { nth: 0, cell: from })
  await fill(group, from, line)
  const front = await freePort()
  const maps = await Promise.all([from, to].map((cell) => cell.command('cells', 'map')))
  await using proxy = await Haproxy.start(
    front,
    (mapPath) => configOf({ front, mapPath }, [from.port, to.port]),
    maps.map(({ out }) => out).join(''),
  )
  void proxy // it ends with this function
  const closed = await openSockets(client, { front, organization })
  const load = new Load(group, line, `http://127.0.0.1:${front}/api/webhook`)
  await Bun.sleep(AROUND_MS)
  await client.post(`/api/admin/organizations/${organization}/move`, { to: to.url })
  const row = (): Loose =>
    from.rows<Loose>(
      'select step, error, created_at_ms as began, frozen_at_ms as frozen, thawed_at_ms as thawed, finished_at_ms as finished from organization_moves',
    )[0] ?? {}
  while (row()['finished'] === null) await Bun.sleep(100)
  if (row()['step'] !== 'completed') throw new Error(String(row()['error']))
  await Bun.sleep(AROUND_MS)
  const posted = await load.stop()
  await group.settled(240_000)
  const stored = to
    .rows<{ id: string }>(
      "select wa_message_id as id from messages where wa_message_id like 'wamid.load%'",
    )
    .map(({ id }) => id)
  const there = new Set(stored)
  const { began, frozen, thawed, finished } = row()
  return {
    posted: posted.length,
    refused: load.refused,
    lost: posted.filter((id) => !there.has(id)).length,
    doubled: stored.length - there.size,
    frozenS: (thawed - frozen) / 1_000,
    tookS: (finished - began) / 1_000,
    closed: closed.filter(({ code }) => code === 4409).length,
  }
}

/** Lets customers write the messages that are there before the move. */
async function fill(group: CellGroup, cell: Cell, line: BusinessNumber): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1_000)
  for (let nth = 0; nth < MESSAGES; nth += PER_BODY) {
    const bodies = Array.from({ length: PER_BODY }, (_, more) =>
      textMessage(`An earlier message, which has as many words as usual: ${nth + more}`, {
        line,
        timestamp,
        id: `wamid.early${nth + more}`,
        person: { waId: String(15_560_000_000 + ((nth + more) % CUSTOMERS)), name: 'Ana Sol' },
      }),
    )
    await group.deliver(combine(...bodies), cell)
  }
  await group.settled(900_000)
}

/** Opens sockets through the proxy. Returns the codes with which they closed, as they close. */
async function openSockets(
  client: { post: (path: string, body: unknown) => Promise<{ data: Loose }> },
  { front, organization }: { front: number; organization: string },
): Promise<{ code: number }[]> {
  const { data } = await client.post('/api/auth/switch-org', { organization_id: organization })
  const closed: { code: number }[] = []
  const sockets = Array.from(
    { length: SOCKETS },
    () => new WebSocket(`ws://127.0.0.1:${front}/ws?token=${String(data['access_token'])}`),
  )
  for (const socket of sockets)
    socket.addEventListener('close', ({ code }) => void closed.push({ code }))
  await Bun.sleep(1_000)
  return closed
}

/** Webhooks at a constant rate. */
class Load {
  refused = 0
  private readonly posted: string[] = []
  private readonly open = new Map<string, Promise<void>>()
  private readonly timer: ReturnType<typeof setInterval>
  private readonly startedMs = performance.now()
  private nth = 0

  constructor(
    private readonly group: CellGroup,
    private readonly line: BusinessNumber,
    private readonly address: string,
  ) {
    this.timer = setInterval(() => this.tick(), 10)
  }

  private tick(): void {
    const due = ((performance.now() - this.startedMs) / 1_000) * RATE
    while (this.nth < due) this.post()
  }

  private post(): void {
    const nth = this.nth++
    const id = `wamid.load${nth}`
    const person = { waId: String(15_560_000_000 + (nth % CUSTOMERS)), name: 'Ana Sol' }
    const body = textMessage(`Text ${nth}`, { line: this.line, id, person })
    const done = this.group.simulator.post(body, { path: this.address }).then(
      ({ status }) => {
        this.open.delete(id)
        if (status === 200) this.posted.push(id)
        else this.refused += 1
      },
      () => {
        this.open.delete(id)
        this.refused += 1
      },
    )
    this.open.set(id, done)
  }

  async stop(): Promise<string[]> {
    clearInterval(this.timer)
    await Promise.all(this.open.values())
    return this.posted
  }
}
