/** The commands of the guides for people of a shop, as they are printed, on one server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Loose } from '../support/client'
import { World } from '../support/world'
import { commandsOf, run } from './commands'

let world: World
let template = ''

beforeAll(async () => {
  world = await World.create()
})

afterAll(() => world.stop())

/** Runs the commands below a heading, in a folder of their own and as somebody who signed in. */
async function runs(
  page: string,
  heading: string,
  known: Record<string, string> = {},
  folder = '"$(mktemp -d)"',
): Promise<Loose[]> {
  const [token = ''] = Object.values((await world.as('admin')).headers).filter((value) =>
    value.startsWith('Bearer '),
  )
  const values = { TOKEN: token.replace('Bearer ', ''), ...known }
  const answers = run(
    world,
    [
      `cd ${folder}`,
      ...Object.entries(values).map(([name, value]) => `${name}='${value}'`),
      commandsOf(`src/docs/${page}.md`, heading).replaceAll(/^ {3}/gm, ''),
    ].join('\n'),
  )
  let isOver = false
  const end = (): void => void (isOver = true)
  answers.then(end, end)
  while (!isOver) {
    await world.settle() // what the commands wait for
    await Bun.sleep(10)
  }
  return await answers
}

const lastOf = (answers: Loose[]): Loose => answers.at(-1)?.['data'] as Loose

test('a file is checked, then imported', async () => {
  const answers = await runs('contacts', 'Import')
  expect(answers.at(-1)).toMatchObject({ status: 'success' })
  await world.settle()
  const { data } = await (await world.as('admin')).get('/api/contacts?search=Ben')
  expect(data['items']).toMatchObject([
    { name: 'Ben Roth', language: 'de', tags: [{ name: 'Newsletter' }] },
  ])
  const imported = (await (await world.as('admin')).get(`/api/imports/${lastOf(answers)['id']}`))
    .data
  expect(imported).toMatchObject({ dry_run: false, created: 2, failed: 1 })
})

test('a template is drafted and submitted', async () => {
  const answers = await runs('templates', 'Write one', { ACCOUNT_ID: world.tenant.accountId ?? '' })
  const { id, status } = (lastOf(answers)['template'] ?? lastOf(answers)) as Loose
  expect(status).toBe('PENDING')
  template = String(id)
})

test('a campaign is prepared, counted, and sent', async () => {
  const admin = await world.as('admin')
  const { platform_id: platformId } = (await admin.get(`/api/templates/${template}`)).data
  await world.simulator.review(String(platformId), { event: 'APPROVED' })
  await world.settle()
  const answers = await runs('campaigns', 'By the API', {
    ...{ ACCOUNT_ID: world.tenant.accountId ?? '', TEMPLATE_ID: template },
  })
  expect(answers.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  expect(answers[1]?.['data']).toMatchObject({ eligible: 2 })
})

test('a role of one’s own', async () => {
  expect((await runs('roles', 'Make a role of your own'))[0]).toMatchObject({
    ...{ status: 'success', data: { name: 'Front desk' } },
  })
})

test('limits are looked at and set, and a person gets the file and is erased', async () => {
  expect((await runs('privacy', 'How long what is kept')).map(({ status }) => status)).toEqual([
    'success',
    'success',
  ])
  const { data } = await (await world.as('admin')).get('/api/contacts?search=Ana')
  const known = { CONTACT_ID: String(data['items'][0].id) }
  expect(await runs('privacy', 'A customer asks for their data', known)).toMatchObject([
    { data: { kind: 'export' } },
  ])
  await world.settle()
  expect(await runs('privacy', 'A customer asks to be erased', known)).toMatchObject([
    { data: { kind: 'erase' } },
  ])
})

test('a report says the same in JSON and in the file of its table', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recipe-report-'))
  const [answer] = await runs('analytics', 'With a program', {}, folder)
  const { summary, timeline } = (answer as Loose)['data'] as { summary: Loose; timeline: Loose[] }
  const [header = '', ...rows] = readFileSync(join(folder, 'messages.csv'), 'utf8')
    .trim()
    .split('\n')
  const sent = header.trim().split(',').indexOf('sent')
  expect(rows).toHaveLength(timeline.length)
  expect(rows.reduce((sum, row) => sum + Number(row.split(',')[sent]), 0)).toBe(
    Number(summary['total_sent']),
  )
  expect(Number(summary['total_sent'])).toBeGreaterThan(0)
  rmSync(folder, { recursive: true })
})
