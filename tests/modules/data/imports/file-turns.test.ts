import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CampaignFixture } from '../../../support/campaigns'
import type { Answer, Client, Loose } from '../../../support/client'
import { handIn } from '../../../support/imports'
import { sendForm } from '../../../support/sending'
import type { World } from '../../../support/world'

let fixture: CampaignFixture
let world: World
let manager: Client
let other: Client

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  world = fixture.world
  manager = await world.as('manager')
  other = await world.as('manager', world.tenants[1])
})

afterAll(() => fixture[Symbol.asyncDispose]())

/** Occupies reading slots until the returned function is called. */
const busyWith = (places: string[]): Promise<() => void> =>
  world.program.http.sheetQueue.enter(places.map((name) => ({ name, room: () => 2 })))

/** Waits until a read is queued for a slot. */
const someoneWaitsAt = (place: string): Promise<void> =>
  world.eventually(() => world.program.http.sheetQueue.load(place).waiting === 1)

const file = 'phone_number\n15550600001\n'
const trial = { file, fields: { dry_run: 'true' } }

describe('reading slots for files', () => {
  test('read two files at a time, and a third waits for a free slot', async () => {
    const ends = [await busyWith(['all']), await busyWith(['all'])]
    const waiting = handIn(manager, trial)
    await someoneWaitsAt('all')
    expect(world.program.http.sheetQueue.load('all')).toEqual({ underWay: 2, waiting: 1 })
    ends[0]?.()
    expect((await waiting).status).toBe(201)
    ends[1]?.()
    expect(world.program.http.sheetQueue.load('all')).toEqual({ underWay: 0, waiting: 0 })
  })

  test('allow one file per organization without blocking the others', async () => {
    const end = await busyWith([world.tenant.id])
    const waiting = handIn(manager, trial)
    await someoneWaitsAt(world.tenant.id)
    expect((await handIn(other, trial)).status).toBe(201)
    end()
    expect((await waiting).status).toBe(201)
  })

  test('reject a file after two minutes of waiting and store nothing', async () => {
    const ends = [await busyWith(['all']), await busyWith(['all'])]
    const kept = world.rows('select id from imports').length
    const waiting = handIn(manager, trial)
    await someoneWaitsAt('all')
    world.clock.advance({ seconds: 121 })
    const { status, body, headers } = await waiting
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'files_busy', '60'])
    expect(world.rows('select id from imports')).toHaveLength(kept)
    for (const end of ends) end()
  })

  test('are released by a rejected file', async () => {
    expect((await handIn(manager, { file: 'nothing\n1\n' })).status).toBe(400)
    expect(world.program.http.sheetQueue.load(world.tenant.id)).toEqual({ underWay: 0, waiting: 0 })
  })
})

describe('invalid rows reject a file of recipients too', () => {
  const bringIn = async (name: string, text: string): Promise<Answer<Loose>> =>
    await sendForm(
      manager,
      `/api/campaigns/${await fixture.draft()}/recipients/import`,
      {},
      { name, type: 'text/csv', bytes: Buffer.from(text) },
    )

  const bad: [what: string, text: string, code: string][] = [
    ['501 cells', `phone\n15550600001${','.repeat(500)}\n`, 'too_many_columns'],
    ['a million commas', `phone\n${','.repeat(2 * 1_024 * 1_024)}\n`, 'row_too_long'],
    ['a long cell', `phone,name\n15550600001,"${'x'.repeat(1_100_000)}"\n`, 'row_too_long'],
    [
      'a long element of JSON',
      `[{"phone_number":"15550600001","recipient_name":"${'x'.repeat(1_100_000)}"}]`,
      'malformed_json',
    ],
  ]
  for (const [what, text, code] of bad)
    test(what, async () => {
      const answer = await bringIn('people.csv', text)
      expect([answer.status, answer.body.code, answer.body.errors?.[0]?.path]).toEqual([
        400,
        code,
        'body.file',
      ])
    })

  test('accepts 500 cells and a row of nearly 1 MiB', async () => {
    expect(
      (await bringIn('people.csv', `phone\n15550600001${','.repeat(499)}\n`)).data,
    ).toMatchObject({ imported: 1 })
    const notes = Array.from({ length: 31 }, (_, nth) => `note ${nth}`)
    const long = `phone,${notes.join(',')}\n15550600002${`,${'x'.repeat(32_767)}`.repeat(31)}\n`
    expect((await bringIn('people.csv', long)).data).toMatchObject({ imported: 1 })
  })
})
