import { afterAll, beforeAll, expect, test } from 'bun:test'

import { CellGroup, type Cell } from '../../support/cells'
import {
  Customers,
  moveOf,
  organizationOf,
  reached,
  receivedIn,
  startMove,
} from '../../support/moves'

let group: CellGroup

beforeAll(async () => {
  group = await CellGroup.start()
}, 60_000)

afterAll(async () => await group[Symbol.asyncDispose]())

test('an organization moves while its customers write at both doors', async () => {
  const [from, to] = group.cells as [Cell, Cell]
  await group.settled()
  const organization = organizationOf(from)
  const admin = await from.admin()
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
