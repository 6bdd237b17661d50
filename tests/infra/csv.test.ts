import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'bun:test'

import { rowsOfCsv } from '../../src/infra/sheets/csv'

const folder = mkdtempSync(join(tmpdir(), 'csv-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a file of short lines lets other work run after some hundred lines', async () => {
  const path = join(folder, 'short.csv')
  await Bun.write(path, 'a\n'.repeat(20_000))
  let turns = 0
  let next = setImmediate(function turn() {
    turns += 1
    next = setImmediate(turn)
  })
  let rows = 0
  for await (const { cells } of rowsOfCsv(path)) rows += cells[0] === 'a' ? 1 : 0
  clearImmediate(next)
  expect(rows).toBe(20_000)
  expect(turns).toBeGreaterThan(100)
})

test('line ends of two characters are one, also where a piece of the file ends', async () => {
  const path = join(folder, 'crlf.csv')
  await Bun.write(path, `name\r\n${'Ana\r\n\r\n'.repeat(5_003)}`)
  const rows: string[] = []
  for await (const { cells } of rowsOfCsv(path)) rows.push(cells.join())
  expect(rows).toEqual(['name', ...Array.from({ length: 5_003 }, () => ['Ana', '']).flat()])
})
