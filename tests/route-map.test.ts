import { afterAll, beforeAll, expect, test } from 'bun:test'

import { MODULES } from '../src/modules'
import { moduleOf } from './architecture/support'
import { printedMap, routeMap, shareAtHome, type MappedRoute } from './support/route-map'
import { World } from './support/world'

let world: World
let map: MappedRoute[]

beforeAll(async () => {
  world = await World.create()
  map = routeMap(world.program)
})
afterAll(() => world.stop())

test('at least 85 % of the API routes stand in the module of their first path word', () => {
  expect(shareAtHome(map)).toBeGreaterThanOrEqual(0.85)
})

test('routes elsewhere are these', () => {
  const elsewhere = map
    .filter(({ module, home }) => home !== null && module !== home)
    .map(({ word, module }) => `${word} → ${module}`)
  expect([...new Set(elsewhere)].toSorted()).toEqual([
    'accounts → media',
    'admin → organization-import',
    'admin → organization-move',
    'auth → members',
    'cells → organization-move',
    'contacts → campaigns',
    'contacts → chatbot',
    'contacts → contact-operations',
    'contacts → conversations',
    'contacts → messages',
    'conversations → exports',
    'conversations → messages',
    'conversations → realtime',
    'conversations → transfers',
    'me → analytics',
    'me → members',
    'me → notifications',
    'organizations → media',
    'organizations → members',
    'organizations → organization-archive',
    'organizations → organization-deletion',
    'segments → contacts',
    'tags → contacts',
    'templates → messages',
  ])
})

test('every first path word belongs to a module', () => {
  const names = MODULES.map(({ name }) => name)
  expect(map.filter(({ home }) => home !== null && !names.includes(home))).toEqual([])
})

test('the map names a file of the module for every route', () => {
  expect(map.filter(({ file, module }) => moduleOf(file) !== module)).toEqual([])
})

test('the map is printed a line per route: method, path, permission, file', () => {
  const lines = printedMap(map).split('\n')
  expect(lines).toHaveLength(map.length + 1)
  expect(lines[0]).toMatch(
    /^\d+ routes; \d+ % of those under \/api stand in the module of their first word$/,
  )
  expect(lines.filter((line) => line.includes('/api/contacts/:id/notes/:note_id'))).toEqual([
    expect.stringMatching(
      /^PUT +\S+ +messages:create +src\/modules\/inbox\/contacts\/notes\/routes\.ts$/,
    ),
    expect.stringMatching(
      /^DELETE +\S+ +messages:create +src\/modules\/inbox\/contacts\/notes\/routes\.ts$/,
    ),
  ])
})
