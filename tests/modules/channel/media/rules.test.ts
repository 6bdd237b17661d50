import { describe, expect, test } from 'bun:test'

import {
  breakAfterFailuresMs,
  contradicts,
  isShownInline,
  KINDS,
  kindOf,
  limitOf,
  MAX_ATTEMPTS,
  nameOf,
  pauseBeforeNext,
  typeName,
} from '../../../../src/modules/channel/media/rules'

const MIB = 1_024 * 1_024

test('each kind accepts the types and sizes that the platform documents', () => {
  const kinds = Object.entries(KINDS).map(([kind, { maxBytes, types }]) => [
    kind,
    maxBytes,
    types && [...types],
  ])
  expect(kinds).toEqual([
    ['image', 5 * MIB, ['image/jpeg', 'image/png']],
    ['video', 16 * MIB, ['video/mp4', 'video/3gpp']],
    ['audio', 16 * MIB, ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg']],
    ['document', 100 * MIB, null],
    ['sticker', 500 * 1_024, ['image/webp']],
  ])
  expect([limitOf('sticker', true), limitOf('sticker', false), limitOf('image', false)]).toEqual([
    500 * 1_024,
    100 * 1_024,
    5 * MIB,
  ])
  for (const [kind, { types }] of Object.entries(KINDS))
    for (const type of types ?? []) expect([type, kindOf(type)]).toEqual([type, kind as 'image'])
  expect([kindOf('application/pdf'), kindOf(null)]).toEqual(['document', 'document'])
})

test.each([
  ['Audio/X-M4A; codecs=aac', 'audio/mp4'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-mpeg', 'audio/mpeg'],
  ['audio/opus', 'audio/ogg'],
  ['audio/x-aac', 'audio/aac'],
  ['audio/aacp', 'audio/aac'],
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['audio/3gpp', 'video/3gpp'],
  ['video/x-m4v', 'video/mp4'],
  ['application/ogg', 'audio/ogg'],
  ['application/x-pdf', 'application/pdf'],
  ['text/plain; charset=utf-8', 'text/plain'],
])('the type %s is called %s', (written, name) => {
  expect(typeName(written)).toBe(name)
})

describe('the claimed type of a file', () => {
  test.each<[claimed: string | null, found: string | null, isContradicted: boolean]>([
    [null, 'image/png', false],
    ['image/png', 'image/png', false],
    ['image/png', 'image/jpeg', true],
    ['image/png', null, true],
    ['image/gif', null, true],
    ['application/zip', null, true],
    ['application/pdf', 'application/zip', true],
    ['text/csv', 'image/png', false],
    ['text/csv', null, false],
    ['audio/mp4', 'video/mp4', false],
    ['video/3gpp', 'audio/mp4', false],
    ['video/mp4', 'audio/ogg', true],
    ['audio/ogg', 'video/mp4', true],
    ['audio/mp4', null, true],
  ])('as %p is contradicted by %p: %p', (claimed, found, isContradicted) => {
    expect(contradicts(claimed, found)).toBe(isContradicted)
  })
})

test.each([
  ['image/jpeg', 'image.jpg'],
  ['image/png', 'image.png'],
  ['image/webp', 'image.webp'],
  ['image/gif', 'image.gif'],
  ['video/mp4', 'image.mp4'],
  ['video/3gpp', 'image.3gp'],
  ['audio/aac', 'image.aac'],
  ['audio/amr', 'image.amr'],
  ['audio/mpeg', 'image.mp3'],
  ['audio/mp4', 'image.m4a'],
  ['audio/ogg; codecs=opus', 'image.ogg'],
  ['application/pdf', 'image.pdf'],
  ['text/plain', 'image.txt'],
  ['text/csv', 'image.csv'],
  ['application/zip', 'image.zip'],
  ['application/x-odd', 'image.bin'],
  [null, 'image.bin'],
])('a file of type %p without a name is called %s', (mimeType, name) => {
  expect(nameOf({ filename: null, kind: 'image', mimeType })).toBe(name)
  expect(nameOf({ filename: 'own.name', kind: 'image', mimeType })).toBe('own.name')
})

test('a browser shows pictures, sound and PDF files, and nothing that may run', () => {
  const shown = [
    ...['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'video/mp4', 'video/3gpp'],
    ...['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg; codecs=opus'],
    'application/pdf',
  ]
  for (const type of shown) expect([type, isShownInline(type)]).toEqual([type, true])
  for (const type of ['text/html', 'image/svg+xml', 'text/plain', 'application/zip', null])
    expect([type, isShownInline(type)]).toEqual([type, false])
})

test('a file is fetched twenty times within seven days, after half of each pause at least', () => {
  const pauses = (random: number): (number | null)[] =>
    Array.from({ length: MAX_ATTEMPTS }, (_, nth) => pauseBeforeNext(nth + 1, () => random))
  expect(MAX_ATTEMPTS).toBe(20)
  expect(pauses(0).slice(0, 4)).toEqual([2_500, 7_500, 30_000, 150_000])
  expect(pauses(1).slice(0, 4)).toEqual([5_000, 15_000, 60_000, 300_000])
  expect(pauses(0.5)[0]).toBe(3_750)
  expect(pauses(0.5).at(-1)).toBeNull()
  const total = pauses(1).reduce((sum: number, pause) => sum + (pause ?? 0), 0)
  expect(total).toBeLessThanOrEqual(7 * 24 * 3_600_000)
  expect(total).toBeGreaterThan(5 * 24 * 3_600_000)
})

test('after five failures in a row nothing is fetched for a minute, then for twice as long', () => {
  expect([0, 4, 5, 6, 7, 9, 10, 50].map(breakAfterFailuresMs)).toEqual([
    ...[null, null, 60_000, 120_000, 240_000],
    ...[960_000, 1_800_000, 1_800_000],
  ])
})
