import { expect, test } from 'bun:test'

import { file, refusing, sources } from './support'

/**
 * Files with a variable that outlives a request. The results of pure functions, by their arguments:
 * nobody can tell whether one is kept. Facts of one request, by the request. Tables that are filled
 * while the file is loaded. A thread has no other place.
 */
const KEEPS_STATE = [
  'src/lib/phone.ts',
  'src/lib/phone-plans.ts',
  'src/lib/schema-check.ts',
  'src/lib/zone-offset.ts',
  'src/modules/channel/flows/definition.ts',
  'src/modules/channel/flows/endpoint/encryption.ts',
  'src/modules/channel/inbound/process/items.ts',
  'src/modules/organization/users/password.ts',
  'src/http/request-facts.ts',
  'src/modules/delivery/realtime/frames/personal.ts',
  'src/checkpoint-worker.ts',
  'src/read-worker.ts',
  // A script of a page, not of the server.
  'src/http/link-pages.ts',
]

test('what the program keeps in memory is a part of it, not a variable of a file', () => {
  const check = refusing(
    /^(?:export )?(?:let \w+|const \w+[^=\n]*= new (?:Weak(?:Map|Set)\b|(?:Map|Set)(?:<.*>)?\(\)))/gm,
    (path) => !KEEPS_STATE.includes(path),
  )
  for (const line of [
    'const known = new Map<string, Row>()',
    'const seen: Set<string> = new Set()',
    'const byDatabase = new WeakMap<Db, RateLimiter>()',
    'let isBusy = false',
  ])
    expect(check([file('src/modules/organization/users/service.ts', line)])).toHaveLength(1)
  for (const line of [
    "const KINDS = new Set(['image'])",
    'const RANK = new Map<string, number>([])',
    '  const seen = new Set<string>()',
  ])
    expect(check([file('src/modules/organization/users/service.ts', line)])).toEqual([])
  expect(check(sources)).toEqual([])
})

test('only the event loop helper yields to the event loop', () => {
  const check = refusing(
    /\b(setImmediate|nextTick)\b|Bun\.sleep\(0\)|(setTimeout|pause)\([^()]*\b0\)/g,
    (path) => path !== 'src/infra/event-loop.ts',
  )
  for (const line of [
    'await new Promise((resolve) => setImmediate(resolve))',
    'await Bun.sleep(0)',
    'await new Promise((resolve) => setTimeout(resolve, 0))',
    'process.nextTick(flush)',
  ])
    expect(check([file('src/modules/organization/users/service.ts', line)])).toHaveLength(1)
  expect(check([file('src/infra/event-loop.ts', 'setImmediate(work)')])).toEqual([])
  expect(
    check([file('src/modules/organization/users/service.ts', 'await yieldToEventLoop()')]),
  ).toEqual([])
  expect(check(sources)).toEqual([])
})
