import { cpSync, renameSync } from 'node:fs'
import { expect, test } from 'bun:test'

import { textMessage } from '../../src/simulator/payloads'
import { CellGroup, type Cell } from '../support/cells'
import { receivedIn } from '../support/moves'

const ACKNOWLEDGED = 200
const WRITERS = 4

/** Customers who write until the server is gone. Returns the IDs that were acknowledged, as they are. */
function write(group: CellGroup, cell: Cell): { acknowledged: string[]; ended: Promise<unknown> } {
  const [line] = cell.lines
  if (!line) throw new Error('the cell has no number')
  const acknowledged: string[] = []
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let nth = 0; ; nth += 1) {
      const id = `wamid.w${writer}n${nth}`
      const person = { waId: String(15_550_800_000 + (nth % 20)), name: 'Ana Sol' }
      const body = textMessage(`Text ${nth}`, { line, id, person })
      const path = `${cell.url}/api/webhook`
      const { status } = await group.simulator.post(body, { path }).catch(() => ({ status: 0 }))
      if (status !== 200) return
      acknowledged.push(id)
    }
  })
  return { acknowledged, ended: Promise.all(writers) }
}

test('a volume of a server that was killed under load has every webhook that was acknowledged', async () => {
  await using group = await CellGroup.start({ count: 1, linesEach: 1 })
  const [cell] = group.cells as [Cell]
  const { acknowledged, ended } = write(group, cell)
  while (acknowledged.length < ACKNOWLEDGED) await Bun.sleep(5)
  // The volume as its replica has it: everything as of one moment, while the server writes.
  process.kill(cell.server?.pid ?? 0, 'SIGSTOP')
  const before = acknowledged.length
  cpSync(cell.dataDir, `${cell.dataDir}-replica`, { recursive: true })
  await cell.server?.kill()
  await ended
  renameSync(cell.dataDir, `${cell.dataDir}-lost`)
  renameSync(`${cell.dataDir}-replica`, cell.dataDir)
  const startedMs = performance.now()
  await cell.start()
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  await group.settled()
  const there = receivedIn(cell)
  expect(acknowledged.filter((id) => !there.includes(id))).toEqual([])
  expect(new Set(there).size).toBe(there.length)
  expect(acknowledged.length).toBeGreaterThanOrEqual(before)

  // Killed again, and promoted from the attached volume itself.
  await cell.server?.kill()
  await cell.start({ args: ['promote', '--from', cell.dataDir] })
  expect(receivedIn(cell)).toEqual(there)
}, 60_000)
