import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { AiWorld } from '../../../support/ai'
import type { Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { entriesOf } from '../../../support/privacy-export'

let own: AiWorld
let knowledge: string
beforeAll(async () => {
  own = await AiWorld.create()
  await own.configure({ chatbot_enabled: true, debounce_seconds: 0 })
  knowledge = await know('Opening hours', 'We open at nine and close at six.')
})
afterAll(() => own.stop())
beforeEach(() => {
  own.ai.answers = () => 'I do not know.'
  own.world.program.http.db.sqlite.run('delete from ai_questions')
})

async function know(name: string, content: string, more: Loose = {}): Promise<string> {
  const { data } = await own.admin.post('/api/chatbot/ai-contexts', { name, content, ...more })
  return String(data['id'])
}

/** A customer writes, and the bot asks the AI. */
async function asks(text: string, waId = '15550009001'): Promise<void> {
  own.world.clock.advance({ seconds: 5 })
  await own.world.simulator.customer({ phone: own.world.tenant.phoneId, waId }).says(text)
  await own.world.settle()
}

async function listed(query = ''): Promise<Loose[]> {
  const { data } = await own.admin.get(`/api/chatbot/ai-questions?limit=100${query}`)
  return data['items'] as Loose[]
}
const texts = async (query = ''): Promise<unknown[]> =>
  (await listed(query)).map(({ text, times }) => [text, times])
const kept = (): unknown[] =>
  own.world.rows('select text from ai_questions order by asked_at_ms').map(({ text }) => text)

const change = (id: unknown, body: Loose) =>
  own.admin.put(`/api/chatbot/ai-questions/${String(id)}`, body)
const contactOf = async (waId: string): Promise<string> => {
  const { data } = await own.admin.get(`/api/contacts?search=${waId}`)
  return String((data['items'] as Loose[])[0]?.['id'])
}

describe('a question that no knowledge is about', () => {
  test('is listed with how often and when it was asked, whoever asked it', async () => {
    await asks('Do you deliver to Austria?', '15550009002')
    const first = own.world.clock.nowMs()
    await asks('Is there parking?')
    await asks('  do you DELIVER to Austria', '15550009003')
    const items = await listed()
    expect(items).toMatchObject([
      { text: 'do you DELIVER to Austria', times: 2, is_done: false },
      { text: 'Is there parking?', times: 1, is_done: false },
    ])
    const [{ first_asked_at: from, last_asked_at: to }] = items as [Loose]
    expect(Date.parse(String(to)) - Date.parse(String(from))).toBe(10_000)
    expect(Math.abs(Date.parse(String(from)) - first)).toBeLessThan(1_000)
  })

  test('is told from one that has a passage, a greeting and another topic', async () => {
    await asks('When do you close?')
    await asks('Hello, good day and thank you!')
    own.ai.answers = () => '<off_topic>'
    await asks('Who won the elections?')
    own.ai.answers = () => '<handover>'
    await asks('Have you got gluten free bread?', '15550009004')
    expect(await texts()).toEqual([['Have you got gluten free bread?', 1]])
  })

  test('is found by a word that triggers a text, and by the answer of an API', async () => {
    const id = await know('Gifts', 'Vouchers cost ten.', { trigger_keywords: ['present'] })
    await asks('I look for a present')
    await own.admin.put(`/api/chatbot/ai-contexts/${id}`, { enabled: false })
    await asks('I look for a present for mother')
    expect(await texts()).toEqual([['I look for a present for mother', 1]])
  })

  test('is none of tests and of steps of a flow that ask something else', async () => {
    await own.ask('Do you sell bicycles?')
    const step = async (word: string, config: Loose, more: string[] = []) => {
      const ids = ['ai', ...more]
      const nodes = ids.map((id) => ({ id, type: 'ai_response', config }))
      const edges = more.map((to, nth) => ({ from: ids[nth], to }))
      const graph = { version: 2, entry_node: 'ai', nodes, edges }
      const flow = { name: word, trigger_keywords: [word], enabled: true, graph }
      expect((await own.admin.post('/api/chatbot/flows', flow)).status).toBe(201)
      await asks(`${word} bicycles`)
    }
    await step('guess', { prompt_template: 'Guess the color of bicycles' })
    expect(kept()).toEqual([])
    await step('say', {})
    expect(kept()).toEqual(['say bicycles'])
    await step('twice', {}, ['again'])
    expect(kept()).toEqual(['say bicycles', 'twice bicycles'])
  })

  test('is done for everybody who asks it, also later, until it is opened again', async () => {
    await asks('Do you deliver to Austria?')
    await asks('Do you deliver to Austria?', '15550009003')
    const socket = await own.world.socket('admin')
    const [{ id }] = (await listed()) as [Loose]
    const done = await change(id, { is_done: true })
    expect(done.data).toMatchObject({ id, times: 2, is_done: true })
    await asks('do you deliver to austria')
    expect([await texts(), await texts('&is_done=true')]).toEqual([
      [],
      [['do you deliver to austria', 3]],
    ])
    expect((await own.admin.get(`/api/chatbot/ai-questions/${String(id)}`)).data).toMatchObject({
      times: 3,
      is_done: true,
    })
    await change(id, { is_done: false })
    expect(await texts()).toEqual([['do you deliver to austria', 3]])
    const frames = await socket.caughtUp()
    expect(frames.filter(({ type }) => type === 'ai_questions:updated')).toHaveLength(3)
  })

  test('is for those who may see the bot, and changed by those who may change it', async () => {
    await asks('Do you deliver to Austria?')
    const [{ id }] = (await listed()) as [Loose]
    const agent = await own.world.as('agent')
    expect((await agent.get('/api/chatbot/ai-questions')).status).toBe(403)
    expect((await agent.put(`/api/chatbot/ai-questions/${String(id)}`, {})).status).toBe(403)
    const { client: reader } = await personWith(own.world, ['chatbot:read'])
    expect((await reader.get('/api/chatbot/ai-questions')).status).toBe(200)
    expect((await reader.put(`/api/chatbot/ai-questions/${String(id)}`, {})).status).toBe(403)
    expect((await change(knowledge, { is_done: true })).status).toBe(404)
    expect((await change(id, {})).status).toBe(400)
  })
})

describe('the list', () => {
  test('has pages, and keeps the last 1,000', async () => {
    await asks('Do you deliver to Austria?')
    const { sqlite } = own.world.program.http.db
    sqlite.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
       insert into ai_questions (organization_id, id, contact_id, key, text, asked_at_ms)
       select organization_id, randomblob(16), contact_id, 'k' || i, 'Question ' || i, asked_at_ms - 1000 + i
       from ai_questions, n`,
    )
    const page = await own.admin.get('/api/chatbot/ai-questions?limit=10&page=3')
    expect(page.data).toMatchObject({ total: 1_001, page: 3, total_pages: 101 })
    expect((page.data['items'] as Loose[])[0]).toMatchObject({ text: 'Question 981' })
    await asks('Is there parking?')
    expect(own.world.rows('select count(*) as n from ai_questions')).toEqual([{ n: 1_000 }])
    const left = await listed()
    expect(left.slice(0, 2)).toMatchObject([
      { text: 'Is there parking?' },
      { text: 'Question 1000' },
    ])
    expect(own.world.rows("select 1 from ai_questions where text in ('Question 1')")).toEqual([])
  })

  test('loses the words of an erased contact, and no others', async () => {
    await asks('Do you deliver to Austria?', '15550009011')
    await asks('Is there parking?', '15550009012')
    const id = await contactOf('15550009011')
    const { data } = await own.admin.post(`/api/contacts/${id}/privacy-export`, {})
    await own.world.settle()
    const entries = await entriesOf(own.world, own.admin, String(data['id']))
    expect(JSON.parse(String(entries.get('ai_questions.json')))).toMatchObject([
      { text: 'Do you deliver to Austria?' },
    ])
    await own.admin.post(`/api/contacts/${id}/erase`, { confirm: id })
    await own.world.settle()
    expect(kept()).toEqual(['Is there parking?'])
  })

  test('follows a contact that is merged, and back', async () => {
    await asks('Do you deliver to Austria?', '15550009021')
    await asks('Is there parking?', '15550009022')
    const [from, to] = [await contactOf('15550009021'), await contactOf('15550009022')]
    const owners = (): unknown[] =>
      own.world
        .rows('select contact_id from ai_questions order by asked_at_ms')
        .map(({ contact_id }) => contact_id)
    const merged = await own.admin.post(`/api/contacts/${to}/merge`, { source_id: from })
    expect(merged.status).toBe(200)
    expect(owners()).toEqual([to, to])
    const undone = await own.admin.post(
      `/api/contacts/merges/${String(merged.data['merge_id'])}/undo`,
    )
    expect([undone.status, owners()]).toEqual([200, [from, to]])
  })

  test('is kept as long as messages are', async () => {
    await asks('Do you deliver to Austria?')
    await own.admin.put('/api/retention', { messages_days: 30 })
    own.world.clock.advance({ hours: 29 * 24 })
    await own.world.settle()
    expect(kept()).toHaveLength(1)
    own.world.clock.advance({ hours: 3 * 24 })
    await own.world.settle()
    expect(kept()).toEqual([])
  })
})
