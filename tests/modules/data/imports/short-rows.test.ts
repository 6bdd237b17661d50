import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'bun:test'

import { rowsOfCsv } from '../../../../src/infra/sheets/csv'
import type { SheetRow } from '../../../../src/infra/sheets/row'
import { rowsOfJson } from '../../../../src/modules/data/imports/files/json'

const folder = mkdtempSync(join(tmpdir(), 'short-rows-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function fileOf(content: string): Promise<string> {
  const path = join(folder, 'rows')
  await Bun.write(path, content)
  return path
}

/** Reads all rows and counts how often other work could run in the meantime. */
async function readAll(rows: AsyncIterable<SheetRow>): Promise<{ cells: string[]; turns: number }> {
  let turns = 0
  let next = setImmediate(function turn() {
    turns += 1
    next = setImmediate(turn)
  })
  const cells: string[] = []
  for await (const row of rows) cells.push(row.cells.join())
  clearImmediate(next)
  return { cells, turns }
}

test('a CSV file of short lines lets other work run after some hundred lines', async () => {
  const { cells, turns } = await readAll(rowsOfCsv(await fileOf('a\n'.repeat(20_000))))
  expect(cells).toEqual(Array.from({ length: 20_000 }, () => 'a'))
  expect(turns).toBeGreaterThan(100)
})

test('a JSON file of short objects lets other work run every few milliseconds', async () => {
  const rows = rowsOfJson(await fileOf('{"a":1}'.repeat(50_000)), ['a'])
  const { cells, turns } = await readAll(rows)
  expect(cells).toEqual(['a', ...Array.from({ length: 50_000 }, () => '1')])
  expect(turns).toBeGreaterThan(15)
})

test('line ends of two characters are one, also where a piece of the file ends', async () => {
  const path = await fileOf(`name\r\n${'Ana\r\n\r\n'.repeat(5_003)}`)
  const { cells } = await readAll(rowsOfCsv(path))
  expect(cells).toEqual(['name', ...Array.from({ length: 5_003 }, () => ['Ana', '']).flat()])
})
