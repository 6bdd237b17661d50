import { expect, test } from 'bun:test'

import { readNumber } from '../../src/lib/typed-number'

test('numbers are read as people write them', () => {
  const known: [text: string, number: number][] = [
    ['25', 25],
    ['-3', -3],
    ['+1.5', 1.5],
    ['1,5', 1.5],
    ['0,500', 0.5],
    ['1500.500', 1_500.5],
    ['1,500.75', 1_500.75],
    ['1.500,75', 1_500.75],
    ['1.500.000', 1_500_000],
    ['1,50,000', 150_000],
    ['1 500', 1_500],
    ['1\u202f500,750', 1_500.75],
    ["1'500.25", 1_500.25],
    ['٢٥', 25],
    ['١٬٥٠٠٫٥', 1_500.5],
    ['۱،۵', 1.5],
    ['\u200f२५', 25],
    ['2️⃣5️⃣', 25],
    ['🔟', 10],
    ['３', 3],
    ['−4', -4],
  ]
  expect(known.map(([text]) => [text, readNumber(text)])).toEqual(known)
})

test('other texts, and numbers that people read differently, are no numbers', () => {
  const unknown = ['1,500', '1.500', '٢،٥٠٠', '', '.5', '5.', '12 34', '1,5,0', '1.500.75', '1e5']
  const more = [
    '0x10',
    'Infinity',
    '--1',
    '1,500.000.000',
    '1'.repeat(16),
    '2 apples',
    '1\n500.5\n',
  ]
  expect([...unknown, ...more].filter((text) => readNumber(text) !== null)).toEqual([])
})
