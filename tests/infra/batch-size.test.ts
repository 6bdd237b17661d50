import { expect, test } from 'bun:test'

import { BatchSize } from '../../src/infra/batch-size'

/**
 * Returns the number of rows that each of `statements` statements may read if a row takes
 * `msPerRow`.
 */
function rowsRead(msPerRow: number, statements: number): number[] {
  let nowMs = 0
  const batch = new BatchSize(250, () => nowMs)
  return Array.from({ length: statements }, () =>
    batch.part((rows) => {
      nowMs += rows * msPerRow
      return rows
    }),
  )
}

test('reads more rows at once while statements are fast, up to the maximum', () => {
  expect(rowsRead(0, 6)).toEqual([64, 128, 250, 250, 250, 250])
})

test('reads few rows at once while each takes long', () => {
  expect(rowsRead(0.1, 4)).toEqual([64, 64, 64, 64])
})
