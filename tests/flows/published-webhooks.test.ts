import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Loose } from '../support/client'
import { World } from '../support/world'
import { changeRows } from '../support/sql'

const SAMPLES = resolve(import.meta.dir, '../../../shared/samples')

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

/** Every change of a body, and how many messages, statuses and errors those of messages tell. */
function elementsOf(body: Loose): { changes: Loose[]; elements: number } {
  const changes = listOf(body['entry']).flatMap((entry) =>
    listOf((entry as Loose)['changes']),
  ) as Loose[]
  const elements = changes
    .filter(({ field }) => field === undefined || field === 'messages')
    .map(({ value }) =>
      ['messages', 'statuses', 'errors'].reduce(
        (sum, list) => sum + listOf((value as Loose)[list]).length,
        0,
      ),
    )
  return { changes, elements: elements.reduce((sum, count) => sum + count, 0) }
}

/**
 * Lets the first tenant's number be the one a delivery names, as it would be for who really has it.
 */
function takeNumber(world: World, body: Loose): void {
  const [change] = elementsOf(body).changes
  const phoneId = String(
    (change?.['value'] as Loose | undefined)?.['metadata']?.['phone_number_id'] ??
      world.tenant.phoneId,
  )
  const businessId = String(
    (listOf(body['entry'])[0] as Loose | undefined)?.['id'] ?? world.tenant.wabaId,
  )
  changeRows(
    world.program.http.db.sqlite,
    'update accounts set phone_id = ?, business_id = ? where organization_id = ?',
    [phoneId, businessId, world.tenant.id],
  )
}

test.skipIf(!existsSync(SAMPLES))(
  'accepts every published delivery with 200, loses nothing and leaves no failed job',
  async () => {
    await using world = await World.create()
    const files = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /webhook-(req|ref|status)/.test(name) && name.endsWith('.json'),
    )
    expect(files.length).toBeGreaterThan(35)
    const bodies = await Promise.all(
      files.map(async (name) => ({
        name,
        body: (await Bun.file(join(SAMPLES, name)).json()) as Loose,
      })),
    )
    for (const [nth, { name, body }] of bodies.entries()) {
      takeNumber(world, body)
      // Some examples are the same text under two names; each is a delivery of its own here.
      const { status } = await world.simulator.post({ ...body, nth })
      expect([name, status]).toEqual([name, 200])
      await world.settle()
      const events = world.rows(
        'select * from inbound_events where body_id = (select id from inbound_bodies order by id desc limit 1)',
      )
      const { changes, elements } = elementsOf(body)
      const counted = events.reduce(
        (sum, { messages, statuses, errors }) =>
          sum + Number(messages) + Number(statuses) + Number(errors),
        0,
      )
      const outcomes = events.flatMap((event) => JSON.parse(String(event['outcomes'])) as Loose[])
      // Some examples have words where a number belongs: there is nobody to store them for.
      const failed = outcomes.filter(
        ({ outcome, reason }) => outcome === 'failed' && reason !== 'no_sender',
      )
      const isOfNobody = outcomes.some(({ reason }) => reason === 'no_sender')
      expect([name, events.length, counted, failed]).toEqual([
        name,
        Math.max(1, changes.length),
        elements,
        [],
      ])
      const states = events.map(({ state }) => state as string)
      expect([
        name,
        states.filter((state) => state !== 'done' && state !== 'ignored' && !isOfNobody),
      ]).toEqual([name, []])
    }
    const boss = await world.as('super')
    expect((await boss.get('/api/jobs?state=discarded')).data['total']).toBe(0)
    expect(world.rows('select count(*) > 10 as many from messages')).toEqual([{ many: 1 }])
    expect(world.logLines.filter((line) => line.includes('inbound item failed'))).toEqual([])
  },
)
