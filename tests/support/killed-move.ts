import { textMessage, type BusinessNumber } from '../../src/simulator/payloads'
import type { Cell, CellGroup } from './cells'
import type { Client, Loose } from './client'

/** When to kill which of the two cells: this long after the move was seen at the step. */
export interface Kill {
  step: string
  cell: 'from' | 'to'
  afterMs: number
}

/** When a person aborts the move: this long after it was seen at the step, if it is not too late. */
export interface Abort {
  step: string
  afterMs: number
}

/** What became of a move under kills. */
export interface KilledMove {
  end: 'moved' | 'not moved'
  kills: number
  received: number
  sent: number
  unknown: number
  /** What was wrong, one sentence each. */
  faults: string[]
}

const CUSTOMERS = 5
const ENDED = ['completed', 'aborting', 'aborted']

/** Waits until something holds. Throws after a minute and a half. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 90_000
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`waited in vain for ${what}`)
    await Bun.sleep(5)
  }
}

/** Reads rows of a cell; none while its process is being replaced. */
function read<T>(cell: Cell, query: string, ...values: string[]): T[] {
  try {
    return cell.rows<T>(query, ...values)
  } catch {
    return []
  }
}

/**
 * Creates an organization with a number in a cell, lets customers write to it and people answer, and
 * moves it to the other cell while both are killed or a person aborts it. Compares what is there afterwards.
 */
export async function moveUnderKills(
  group: CellGroup,
  { nth, from, to, troubles }: { nth: number; from: Cell; to: Cell; troubles: (Kill | Abort)[] },
): Promise<KilledMove> {
  const { client, id: organization, line } = await organizationIn(group, { nth, cell: from })
  const move = `/api/admin/organizations/${organization}/move`
  const written: string[] = []
  let isWriting = true
  const write = async (): Promise<void> => {
    for (let round = 0; isWriting; round += 1) {
      const id = `wamid.m${nth}r${round}`
      const body = textMessage('Hello', { line, id, person: customer(nth, round) })
      await group.deliver(body, round % 2 === 0 ? from : to)
      written.push(id)
      await Bun.sleep(20)
    }
  }
  const writing = write()
  const texts = await sendSome(client, from, { organization, nth })
  await client.post(move, { to: to.url })
  let killed = 0
  for (const { step, afterMs, ...trouble } of troubles) {
    const isAt = (): boolean => [step, ...ENDED].includes(stepOf(from, organization))
    await until(step, isAt)
    await Bun.sleep(afterMs)
    if ('cell' in trouble) {
      await (trouble.cell === 'from' ? from : to).restart()
      killed += 1
    } else await client.delete(move)
  }
  const isOver = (): boolean => ['completed', 'aborted'].includes(stepOf(from, organization))
  await until('the end of the move', isOver)
  isWriting = false
  await writing
  const end = stepOf(from, organization) === 'completed' ? 'moved' : 'not moved'
  const home = end === 'moved' ? to : from
  await group.settled(90_000)
  await until('sends to end', () => unsent(home, organization) === 0)
  return { end, kills: killed, ...verdict(group, { from, to, home, organization, written, texts }) }
}

const customer = (nth: number, which: number) => ({
  waId: String(15_551_000_000 + nth * 100 + (which % CUSTOMERS)),
  name: 'Ana Sol',
})

const stepOf = (cell: Cell, organization: string): string =>
  read<{ step: string }>(
    cell,
    'select step from organization_moves where organization_id = ? order by created_at_ms desc limit 1',
    organization,
  )[0]?.step ?? ''

export async function organizationIn(
  group: CellGroup,
  { nth, cell }: { nth: number; cell: Cell },
): Promise<{ client: Client; id: string; line: BusinessNumber }> {
  const admin = await cell.admin()
  const { data } = await admin.post('/api/organizations', { name: `Mover ${nth}` })
  const id = String(data['id'])
  const client = admin.with({ 'x-organization-id': id })
  const line = {
    wabaId: `2030000000${10_000 + nth}`,
    phoneNumberId: `3030000000${10_000 + nth}`,
    displayPhoneNumber: `155503${10_000 + nth}`,
  }
  const { token } = group.simulator.addPhone({
    id: line.phoneNumberId,
    wabaId: line.wabaId,
    displayPhoneNumber: line.displayPhoneNumber,
  })
  const { status } = await client.post('/api/accounts', {
    name: line.displayPhoneNumber,
    phone_id: line.phoneNumberId,
    business_id: line.wabaId,
    access_token: token,
  })
  if (status !== 201) throw new Error(`the number was not connected: ${status}`)
  const timestamp = Math.floor(Date.now() / 1_000)
  for (let which = 0; which < CUSTOMERS; which += 1)
    await group.deliver(
      textMessage('Hi', {
        line,
        timestamp,
        id: `wamid.first${nth}c${which}`,
        person: customer(nth, which),
      }),
      cell,
    )
  return { client, id, line }
}

/** Answers customers. Returns the texts that were accepted. */
async function sendSome(
  client: Client,
  cell: Cell,
  { organization, nth }: { organization: string; nth: number },
): Promise<string[]> {
  const contacts = (): { id: string }[] =>
    read(cell, 'select id from contacts where organization_id = ?', organization)
  await until('the contacts', () => contacts().length >= CUSTOMERS)
  const texts: string[] = []
  for (let round = 0; round < 4; round += 1)
    for (const { id } of contacts()) {
      const text = `Answer ${nth} ${round} ${id}`
      const { status } = await client.post<Loose>(`/api/contacts/${id}/messages`, {
        type: 'text',
        text,
      })
      if (status === 201) texts.push(text)
    }
  return texts
}

const unsent = (cell: Cell, organization: string): number =>
  read<{ n: number }>(
    cell,
    `select count(*) as n from messages where organization_id = ? and direction = 'outgoing'
     and stage in ('queued', 'held', 'uploading', 'sending', 'retry_wait')`,
    organization,
  )[0]?.n ?? 1

interface End {
  from: Cell
  to: Cell
  /** The cell in which the organization must work. */
  home: Cell
  organization: string
  written: string[]
  texts: string[]
}

function verdict(
  group: CellGroup,
  { from, to, home, organization, written, texts }: End,
): Omit<KilledMove, 'end' | 'kills'> {
  const faults: string[] = []
  const states = [from, to].map(
    (cell) =>
      read<{ state: string }>(cell, 'select state from organizations where id = ?', organization)[0]
        ?.state ?? null,
  )
  const working = states.filter((state) => state === 'active').length
  if (working !== 1) faults.push(`it works at ${working} cells: ${states.join(', ')}`)
  if (states[[from, to].indexOf(home)] !== 'active') faults.push('it does not work where it should')
  const received = read<{ id: string }>(
    home,
    `select wa_message_id as id from messages where organization_id = ? and direction = 'incoming'
     and wa_message_id like 'wamid.m%'`,
    organization,
  ).map(({ id }) => id)
  const lost = written.filter((id) => !received.includes(id))
  if (lost.length > 0) faults.push(`${lost.length} messages were lost: ${lost.slice(0, 3).join()}`)
  if (new Set(received).size < received.length) faults.push('messages were stored twice')
  const arrived = group.simulator.messages.map(({ body }) =>
    String(((body as Loose)['text'] as Loose | undefined)?.['body']),
  )
  const stages = new Map(
    read<{ text: string; stage: string }>(
      home,
      `select content ->> '$.text' as text, stage from messages where organization_id = ? and direction = 'outgoing'`,
      organization,
    ).map(({ text, stage }) => [text, stage]),
  )
  let unknown = 0
  for (const text of texts) {
    const times = arrived.filter((one) => one === text).length
    const stage = stages.get(text)
    if (times > 1) faults.push(`"${text}" was sent ${times} times`)
    if (stage === undefined) faults.push(`"${text}" is lost`)
    if (stage === 'ambiguous' || stage === 'unknown') unknown += 1
    else if (times === 0) faults.push(`"${text}" was not sent, and is ${stage}`)
  }
  return { received: received.length, sent: texts.length, unknown, faults }
}
