import { afterAll, beforeAll, expect, test } from 'bun:test'

import { MODULES } from '../src/modules'
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

test('every first path word belongs to a module', () => {
  const names = MODULES.map(({ name }) => name)
  expect(map.filter(({ home }) => home !== null && !names.includes(home))).toEqual([])
})

test('the map names a file of the module for every route', () => {
  expect(map.filter(({ file, module }) => !file.startsWith(`src/modules/${module}/`))).toEqual([])
})

test('the map is printed a line per route: method, path, permission, file', () => {
  const lines = printedMap(map).split('\n')
  expect(lines).toHaveLength(map.length + 1)
  expect(lines[0]).toMatch(
    /^\d+ routes; \d+ % of those under \/api stand in the module of their first word$/,
  )
  expect(lines.filter((line) => line.includes('/api/contacts/:id/notes/:note_id'))).toEqual([
    expect.stringMatching(/^PUT +\S+ +messages:create +src\/modules\/contacts\/notes\/routes\.ts$/),
    expect.stringMatching(
      /^DELETE +\S+ +messages:create +src\/modules\/contacts\/notes\/routes\.ts$/,
    ),
  ])
})
