import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const KEYS = ['welcome_menu', 'faq_ai', 'order_status', 'appointment', 'feedback', 'away']
const LANGUAGES = ['en', 'de', 'es', 'pt', 'ar']

describe('flows to start from', () => {
  test('are six, each with its graph and languages', async () => {
    const items = (await admin.get('/api/chatbot/templates')).data['items'] as Loose[]
    expect(items.map(({ key }) => key)).toEqual(KEYS)
    for (const { graph, languages } of items) {
      expect(languages).toEqual(LANGUAGES)
      const { data } = await admin.post('/api/chatbot/flows/validate', { graph })
      expect(data).toEqual({ valid: true, errors: [], warnings: [] })
    }
  })

  test.each(KEYS.flatMap((key) => LANGUAGES.map((language) => [key, language] as const)))(
    '%s in %s is valid, disabled, and can be enabled as it is',
    async (template_key, language) => {
      const made = await admin.post('/api/chatbot/flows/from-template', {
        template_key,
        language,
        name: `${template_key} ${language}`,
      })
      expect([made.status, made.data]).toMatchObject([
        201,
        { enabled: false, has_draft: true, warnings: [] },
      ])
      expect((made.data['trigger_keywords'] as string[]).length).toBeGreaterThan(1)
      const path = `/api/chatbot/flows/${String(made.data['id'])}`
      const enabled = await admin.put(path, { enabled: true })
      expect([enabled.status, enabled.data]).toMatchObject([200, { version: 1, warnings: [] }])
      // Some words begin the same flow in two languages, of which a shop has one.
      await admin.put(path, { enabled: false })
      world.clock.advance({ seconds: 10 })
    },
  )

  test('an unknown template, language or taken name is refused', async () => {
    const from = (body: Loose) => admin.post('/api/chatbot/flows/from-template', body)
    expect((await from({ template_key: 'pizza', name: 'A' })).status).toBe(400)
    expect((await from({ template_key: 'away', name: 'A', language: 'fr' })).status).toBe(400)
    expect((await from({ template_key: 'away' })).status).toBe(400)
    expect((await from({ template_key: 'away', name: 'Taken' })).status).toBe(201)
    expect((await from({ template_key: 'away', name: 'taken' })).body.code).toBe('name_taken')
  })
})
