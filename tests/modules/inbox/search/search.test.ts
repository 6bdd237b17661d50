import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { SearchMessages } from '../../../../src/modules/inbox/messages/search/readers'
import type { Answer, Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let admin: Client
let ana: Loose
let ben: Loose

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  ana = await say([
    'I need a blue lamp',
    'The lamp is blue, thanks',
    'A lamppost?',
    'Café CRÈME and naïve résumé',
    'Lamp blue',
  ])
  ben = await say([
    'Where is my parcel 4711?',
    'blue lamp please',
    '100% sure',
    'x AND y OR z NEAR("a")',
  ])
  await admin.post(`/api/contacts/${ana['id']}/messages`, {
    type: 'text',
    text: 'Your blue lamp is on its way',
  })
  await world.settle()
})

afterAll(() => world.stop())

/** A new customer who says these things, one a second. */
async function say(texts: string[], tenant = world.tenant): Promise<Loose> {
  const contact = await world.contactOf(tenant, texts[0])
  for (const text of texts.slice(1)) {
    world.clock.advance({ seconds: 1 })
    await world.simulator
      .customer({ phone: tenant.phoneId, waId: String(contact['wa_id']) })
      .says(text)
    await world.settle()
  }
  world.clock.advance({ seconds: 1 })
  return contact
}

const ask = (query: Record<string, string>, by = admin): Promise<Answer<Loose>> =>
  by.get(`/api/messages/search?${new URLSearchParams(query).toString()}`)
const texts = ({ data }: Answer<Loose>): string[] =>
  (data['items'] as { message: { content: { text: string } } }[]).map(
    ({ message }) => message.content.text,
  )
const marked = ({ data }: Answer<Loose>): string[][] =>
  (data['items'] as { snippet: string; ranges: [number, number][] }[]).map(({ snippet, ranges }) =>
    ranges.map(([start, end]) => snippet.slice(start, end)),
  )

describe('a search', () => {
  test('finds all words; exact phrases first, then the newest first', async () => {
    expect(texts(await ask({ q: 'blue lamp' }))).toEqual([
      'Your blue lamp is on its way',
      'blue lamp please',
      'I need a blue lamp',
      'Lamp blue',
      'The lamp is blue, thanks',
    ])
  })

  for (const [q, found] of [
    ['creme cafe', ['Café CRÈME and naïve résumé']],
    ['RÉSUMÉ', ['Café CRÈME and naïve résumé']],
    ['lamppo', ['A lamppost?']],
    ['lampp*', ['A lamppost?']],
    ['lam* naive', []],
    ['"lamp is blue"', ['The lamp is blue, thanks']],
    ['"blue lamp" please', ['blue lamp please']],
    ['4711', ['Where is my parcel 4711?']],
    ['100%', ['100% sure']],
    ['AND OR NEAR', ['x AND y OR z NEAR("a")']],
    ['scope : o1', []],
    ['words:lamp', []],
    ['-lamp ^blue', expect.arrayContaining(['Lamp blue'])],
    ['"unfinished', []],
    ['??', []],
    ['nothing of the kind', []],
  ] as const)
    test(`for ${q} finds ${Array.isArray(found) ? found.length : 'some'}`, async () => {
      const answer = await ask({ q })
      expect([answer.status, texts(answer)]).toEqual([200, found as string[]])
    })

  test('finds a message by each prefix while somebody types', async () => {
    for (const q of ['na', 'nai', 'naiv', 'naïve', 'naïve r', 'naïve résum'])
      expect(texts(await ask({ q }))).toContain('Café CRÈME and naïve résumé')
  })

  test('ignores case and accents, and shows the original spelling', async () => {
    await say(['Straße in ŁÓDŹ', 'ＡＢＣ １２３', 'ﬁne Ǿre', 'ЁЖИК и чай', 'がき'])
    for (const [q, found, places] of [
      ['strasse', 'Straße in ŁÓDŹ', ['Straße']],
      ['STRASSE lodz', 'Straße in ŁÓDŹ', ['Straße', 'ŁÓDŹ']],
      ['straße', 'Straße in ŁÓDŹ', ['Straße']],
      ['"in łódź"', 'Straße in ŁÓDŹ', ['in', 'ŁÓDŹ']],
      ['abc 12', 'ＡＢＣ １２３', ['ＡＢＣ', '１２３']],
      ['ｆｉｎｅ ore', 'ﬁne Ǿre', ['ﬁne', 'Ǿre']],
      ['ежик', 'ЁЖИК и чай', ['ЁЖИК']],
      ['чай', 'ЁЖИК и чай', ['чай']],
      ['がき', 'がき', ['がき']],
    ] as const) {
      const answer = await ask({ q })
      expect([q, texts(answer), marked(answer)]).toEqual([q, [found], [[...places]]])
    }
    expect(texts(await ask({ q: 'かき' }))).toEqual([])
  })

  test('marks the matches in a snippet', async () => {
    expect(marked(await ask({ q: 'blue lamp' }))[0]).toEqual(['blue', 'lamp'])
    expect(marked(await ask({ q: 'creme resu' }))).toEqual([['CRÈME', 'résumé']])
    const long = `${'filler '.repeat(60)}needle ${'filler '.repeat(60)}`
    await say([long])
    const answer = await ask({ q: 'needle' })
    expect(marked(answer)).toEqual([['needle']])
    const { snippet } = (answer.data['items'] as { snippet: string }[])[0] ?? { snippet: '' }
    expect([snippet.startsWith('…filler'), snippet.endsWith('…'), snippet.length < 170]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('is read page by page to the end', async () => {
    const all = texts(await ask({ q: 'lamp' }))
    const read: string[] = []
    let cursor: string | null = null
    for (let page = 0; page < 10; page += 1) {
      const answer = await ask({ q: 'lamp', limit: '2', ...(cursor === null ? {} : { cursor }) })
      read.push(...texts(answer))
      cursor = answer.data['next_cursor'] as string | null
      if (cursor === null) break
    }
    expect([read, all.length]).toEqual([all, 6])
  })

  test('filters by contact, direction, number, type and time', async () => {
    expect(texts(await ask({ q: 'lamp', contact_id: String(ben['id']) }))).toEqual([
      'blue lamp please',
    ])
    expect(texts(await ask({ q: 'lamp', direction: 'outgoing' }))).toEqual([
      'Your blue lamp is on its way',
    ])
    expect(texts(await ask({ q: 'lamp', account_id: String(world.other.accountId) }))).toEqual([])
    expect(texts(await ask({ q: 'lamp', type: 'image' }))).toEqual([])
    const { data } = await ask({ q: '"need a blue lamp"' })
    const [{ message }] = data['items'] as [{ message: { timestamp: string } }]
    const at = Date.parse(message.timestamp)
    expect(
      texts(
        await ask({
          q: 'lamp',
          from: new Date(at).toISOString(),
          to: new Date(at + 1).toISOString(),
        }),
      ),
    ).toEqual(['I need a blue lamp'])
  })

  test('stays within the organization and what the caller sees', async () => {
    await say(['their blue lamp'], world.other)
    expect(texts(await ask({ q: 'lamp' }))).not.toContain('their blue lamp')
    expect(texts(await ask({ q: 'lamp' }, await world.as('admin', world.other)))).toEqual([
      'their blue lamp',
    ])
    const agent = await world.as('agent')
    expect(texts(await ask({ q: 'lamp' }, agent))).toEqual([])
    await admin.put(`/api/contacts/${ben['id']}/assign`, { user_id: world.tenant.userIds.agent })
    expect(texts(await ask({ q: 'lamp' }, agent))).toEqual(['blue lamp please'])
    expect(texts(await ask({ q: 'lamp', contact_id: String(ana['id']) }, agent))).toEqual([])
  })

  test('shows numbers as the caller may see them', async () => {
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const { data } = await ask({ q: 'lamp' }, await world.as('agent'))
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
    expect(JSON.stringify(data)).not.toContain(String(ben['wa_id']))
  })

  test('that takes too long returns partial results and a cursor', async () => {
    const contact = await world.contactOf()
    const { conversation_id } = world.rows<{ conversation_id: string }>(
      'select conversation_id from messages where contact_id = ?',
      String(contact['id']),
    )[0] ?? { conversation_id: '' }
    world.rows(
      `insert into messages (organization_id, id, conversation_id, contact_id, account_id, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
       select organization_id, unhex(printf('019fffff000070008000%012x', i)), conversation_id, contact_id, account_id, 'text', '{"text":"haystack"}', 'haystack', 'delivered', 'contact', i, i, i
       from n, messages where messages.conversation_id = ?`,
      conversation_id,
    )
    world.rows(
      `insert into message_words (row, organization_id, contact_id, words) select row, organization_id, contact_id, 'haystack' from messages where preview = 'haystack'`,
    )
    const { http } = world.program
    const search = { q: 'haystack', type: 'image', limit: 20 }
    const scope = systemCtx(http, world.tenant.id)
    const answer = await http.reads.value(SearchMessages, scope, { ...search, maxMs: 0 })
    expect([answer.partial, answer.items]).toEqual([true, []])
    const rest = await ask({
      q: 'haystack',
      type: 'image',
      cursor: String(answer.next_cursor),
    })
    expect([rest.data['partial'], rest.data['next_cursor']]).toEqual([false, null])
  })

  for (const [name, query, path] of [
    ['one letter', { q: 'a' }, 'query.q'],
    ['201 letters', { q: 'a'.repeat(201) }, 'query.q'],
    ['nothing', {}, 'query.q'],
    ['an id that is none', { q: 'lamp', contact_id: '5' }, 'query.contact_id'],
    ['a time that is none', { q: 'lamp', from: 'today' }, 'query.from'],
    [
      'a cursor of another list',
      { q: 'lamp', cursor: Buffer.from('[5,"x"]').toString('base64url') },
      'query.cursor',
    ],
  ] as const)
    test(`is refused for ${name}`, async () => {
      const answer = await ask(query as Record<string, string>)
      expect([answer.status, answer.body.errors?.map((problem) => problem.path)]).toEqual([
        400,
        [path],
      ])
    })
})

describe('a search of many messages', () => {
  let large: World
  /** What each of them says, the oldest first. */
  const said: string[] = []
  const WORDS = ['even', 'evening', 'odd', 'oddity', 'lamp', 'lamppost', 'la', 'l', 'blue']
  const SENT = 6_000

  beforeAll(async () => {
    large = await World.create({ tenants: 1 })
    const { id } = await large.contactOf()
    let seed = 7
    const next = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most
    for (let nth = 0; nth < SENT; nth += 1) {
      const words = Array.from({ length: 1 + next(4) }, () => WORDS[2 + next(7)])
      said.push(
        `${nth % 2 === 0 ? 'even' : 'odd'} ${words.join(' ')}${nth === 41 ? ' lampshade' : ''} nr${nth}`,
      )
    }
    large.rows(
      `insert into messages (organization_id, id, conversation_id, contact_id, account_id, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms)
       select organization_id, unhex(printf('019fffff000070008000%012x', said.key + 1)), conversation_id, contact_id, account_id, 'text', json_object('text', said.value), said.value, 'delivered', 'contact', 1, 1, 1
       from json_each(?) as said, messages where contact_id = ?`,
      JSON.stringify(said),
      String(id),
    )
    large.rows(
      `insert into message_words (row, organization_id, contact_id, words)
       select row, organization_id, contact_id, preview from messages where substr(id, 1, 4) = x'019fffff' order by row`,
    )
  })
  afterAll(() => large.stop())

  /** What FTS5 is asked for during some work: the expression, without what is beside the words. */
  async function askedDuring(work: () => Promise<unknown>): Promise<string[]> {
    const { sqlite } = large.program.http.db
    const query = sqlite.query.bind(sqlite)
    const asked: string[] = []
    sqlite.query = ((statement: string) => {
      const prepared = query(statement)
      if (!/ match \?/.test(statement)) return prepared
      return { all: (...given: [string]) => (asked.push(given[0]), prepared.all(...given)) }
    }) as typeof query
    await work()
    sqlite.query = query
    return asked
  }

  /** All that a search finds, page by page. */
  async function allOf(q: string): Promise<string[]> {
    const found: string[] = []
    let cursor: string | null = null
    do {
      const query = { q, limit: '100', ...(cursor === null ? {} : { cursor }) }
      const answer = await ask(query, await large.as('admin'))
      found.push(...texts(answer))
      cursor = answer.data['next_cursor'] as string | null
    } while (cursor !== null)
    return found
  }

  for (const q of [
    'even odd',
    'lampp',
    'lamps',
    'lam',
    'odd even*',
    'la l',
    'l la',
    '"blue lamp" even',
    'lamp blue odd',
    'nr41',
    'blue l',
    'oddi',
  ])
    test(`for ${q} finds what it says, the newest first, and asks the index for one word at a time`, async () => {
      using _stay = large.stays('the memory of a process')
      const found: string[] = []
      const asked = await askedDuring(async () => void found.push(...(await allOf(q))))
      expect(found).toEqual(expected(q))
      expect(asked.length).toBeGreaterThan(0)
      // The beginning of a word is asked for by the two or three letters the index lists it under.
      for (const match of asked)
        expect(match).toMatch(/^("\u{E000}?[a-z0-9]+"|"[a-z0-9]{2,3}"\*)$/u)
    })

  /** The same by looking at each message. */
  function expected(q: string): string[] {
    const newest = said.toReversed()
    const holds = (text: string, words: string, isOpen: boolean): boolean =>
      ` ${text} `.includes(` ${words}${isOpen ? '' : ' '}`)
    const terms = [...q.matchAll(/"([^"]*)"|(\S+)/g)].map(([all, quoted, bare]) => ({
      words: quoted ?? (bare ?? '').replace('*', ''),
      isOpen: all.endsWith('*'),
    }))
    if (/["*]/.test(q))
      return newest.filter((text) => terms.every(({ words, isOpen }) => holds(text, words, isOpen)))
    const best = newest.filter((text) => holds(text, q, false))
    const rest = newest.filter(
      (text) =>
        terms.every(({ words }, nth) => holds(text, words, nth === terms.length - 1)) &&
        !best.includes(text),
    )
    return [...best, ...rest]
  }

  test('that fits no message is complete', async () => {
    const admin = await large.as('admin')
    expect((await ask({ q: 'lamp', type: 'image' }, admin)).data).toMatchObject({
      ...{ items: [], partial: false },
    })
  })
})

test('the index is merged a little with each few messages, so that no commit has to merge much of it at once', async () => {
  const parts = (): number =>
    world.rows<{ n: number }>('select count(distinct segid) as n from message_search_idx')[0]?.n ??
    0
  expect(world.rows("select v from message_search_config where k = 'automerge'")).toEqual([
    { v: 0 },
  ])
  // Each message of its own adds a part; left alone all of one size become one when there are
  // sixteen.
  const seen: number[] = []
  for (let nth = 0; nth < 15; nth += 1) {
    await say([`Is the amber vase number ${nth} there?`])
    seen.push(parts())
  }
  expect(Math.max(...seen)).toBeLessThan(9)
  world.rows("insert into message_search (message_search, rank) values ('integrity-check', 0)")
  expect(texts(await ask({ q: 'amber vase', limit: '50' }))).toHaveLength(15)
})
