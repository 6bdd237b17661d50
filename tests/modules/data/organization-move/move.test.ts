import { afterAll, beforeAll, expect, test } from 'bun:test'

import { CellGroup, type Cell } from '../../../support/cells'
import { Client, type Loose } from '../../../support/client'
import { moveUnderKills, type Kill } from '../../../support/killed-move'
import { TestSocket } from '../../../support/socket'
import {
  Customers,
  moveOf,
  organizationOf,
  reached,
  receivedIn,
  startMove,
} from '../../../support/moves'

let group: CellGroup
let admin: Client

beforeAll(async () => {
  group = await CellGroup.start()
}, 60_000)

afterAll(async () => await group[Symbol.asyncDispose]())

test('an organization moves while its customers write at both doors', async () => {
  const [from, to] = group.cells as [Cell, Cell]
  await group.settled()
  const organization = organizationOf(from)
  admin = await from.admin()
  const customers = new Customers(group, from)
  while (customers.written.length < 20) await Bun.sleep(20)
  const started = await startMove(admin, organization, to)
  expect(started.status).toBe(202)
  await reached(from, ['completed', 'aborted'])
  expect(moveOf(from)).toMatchObject({ step: 'completed', error: null })
  const before = customers.written.length
  while (customers.written.length < before + 20) await Bun.sleep(20)
  const written = await customers.stop()
  await group.settled()
  expect(receivedIn(to)).toEqual(written)
}, 90_000)

test('the old cell sends people to the new one, and the maps follow', async () => {
  const [from, to] = group.cells as [Cell, Cell]
  const organization = organizationOf(from)
  const login = await new Client(from.url).post('/api/auth/login', from.login)
  expect(login.status).toBe(200) // a super admin, who administers the cell from an empty organization
  const { status, body } = await admin.get('/api/me')
  expect([status, body.code, body.details]).toEqual([409, 'moved', { address: to.url }])
  const maps = await Promise.all([from, to].map((cell) => cell.command('cells', 'map')))
  expect(maps.map(({ out }) => out.includes(organization))).toEqual([false, true])
  const callbacks = from.lines.map(
    ({ phoneNumberId }) =>
      group.simulator.phones.find(({ id }) => id === phoneNumberId)?.callbackUrl,
  )
  expect(new Set(callbacks)).toEqual(new Set([`${to.url}/api/webhook`]))
})

test('an organization moves while both cells are killed, and nothing is sent twice', async () => {
  const [from, to] = group.cells as [Cell, Cell]
  const troubles: Kill[] = [
    { step: 'uploading', cell: 'to', afterMs: 5 },
    { step: 'importing', cell: 'from', afterMs: 5 },
    { step: 'activating', cell: 'to', afterMs: 0 },
  ]
  const one = await moveUnderKills(group, { nth: 1, from: to, to: from, troubles })
  expect(one).toMatchObject({ end: 'moved', kills: 3, faults: [] })
}, 90_000)

test('the command line moves an organization and shows how far it is', async () => {
  const [to, from] = group.cells as [Cell, Cell]
  const admin = await from.admin()
  const { data } = await admin.post<Loose>('/api/organizations', { name: 'By command' })
  const id = String(data['id'])
  const socket = await TestSocket.open(
    `${from.url.replace('http', 'ws')}/ws?token=${await tokenIn(from, id)}`,
  )
  const unknown = await from.command('organization', 'move', id, '--to', 'https://c.example.com')
  expect([unknown.code === 0, unknown.errors]).toEqual([false, expect.stringContaining('CELLS')])
  const done = await from.command('organization', 'move', id, '--to', to.url)
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('completed')])
  await socket.until('the close', () => socket.closed !== null)
  expect(socket.closed?.code).toBe(4409)
  const late = await from.command('organization', 'move', id, '--abort')
  expect([late.code === 0, late.errors]).toEqual([false, expect.stringContaining('taken over')])
  for (const [flags, reason] of [
    [['--abort', '--force'], 'works there'],
    [['--take-over', '--force'], 'not found'],
    [['--take-over'], 'it states that the other server is lost for good'],
    [['--to', to.url, '--force'], '--force is for'],
  ] as const) {
    const refused = await from.command('organization', 'move', id, ...flags)
    expect([refused.code === 0, refused.errors]).toEqual([false, expect.stringContaining(reason)])
  }
}, 60_000)

test('the command line says once why a move was aborted', async () => {
  const [to, from] = group.cells as [Cell, Cell]
  const admin = await from.admin()
  const { data } = await admin.post<Loose>('/api/organizations', { name: 'Stays' })
  const id = String(data['id'])
  const asked = from.command('organization', 'move', id, '--to', to.url)
  await reached(from, ['freezing', 'draining', 'exporting', 'uploading', 'importing'])
  to.server?.signal('SIGSTOP')
  const { status } = await admin.delete(`/api/admin/organizations/${id}/move`)
  to.server?.signal('SIGCONT')
  const { code, out, errors } = await asked
  expect([status, code, out]).toEqual([200, 1, expect.stringMatching(/^abort(ing|ed)$/m)])
  expect((out + errors).match(/It was aborted by a person\./g)).toHaveLength(1)
}, 60_000)

async function tokenIn(cell: Cell, organization: string): Promise<string> {
  const admin = await cell.admin()
  const { data } = await admin.post<Loose>('/api/auth/switch-org', {
    organization_id: organization,
  })
  return String(data['access_token'])
}
