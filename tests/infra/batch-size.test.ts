import { expect, test } from 'bun:test'

import { BatchSize } from '../../src/infra/batch-size'

/** Work that takes so long a row, milliseconds. */
const rowsRead = (msPerRow: number, parts: number): number[] => {
  const pace = new BatchSize(250)
  return Array.from({ length: parts }, () =>
    pace.part((rows) => {
      const untilMs = performance.now() + rows * msPerRow
      while (performance.now() < untilMs);
      return rows
    }),
  )
}

test('a scan reads more rows at once where they take little, never more than the most', () => {
  expect(rowsRead(0, 6)).toEqual([64, 128, 250, 250, 250, 250])
})

test('a scan reads few rows at once where each takes long', () => {
  expect(rowsRead(0.1, 4)).toEqual([64, 64, 64, 64])
})
