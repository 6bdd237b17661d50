import { afterAll, beforeAll, expect, test } from 'bun:test'

import { effectiveSettings } from '../../../src/modules/chatbot-settings/effective'
import { openAiKey } from '../../../src/modules/chatbot-settings/ai-key'
import { systemCtx } from '../../../src/infra/ctx'
import type { Answer, Client, Loose } from '../../support/client'
import { World } from '../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const PATH = '/api/chatbot/settings'
const ofNumber = (): string => `${PATH}?account_id=${world.tenant.accountId}`
const verdict = ({ status, body }: Answer<unknown>) => [
  status,
  body.code,
  body.errors?.map(({ path }) => path),
]
const settingsNow = async (path = PATH): Promise<Loose> => (await admin.get(path)).data

test('answers the defaults for a new organization', async () => {
  expect(await settingsNow()).toMatchObject({
    account_id: null,
    overridden: [],
    chatbot_enabled: false,
    disabled_action: 'none',
    greeting_message: null,
    greeting_buttons: [],
    fallback_transfer_after: 3,
    transfer_keywords: ['agent', 'human', 'representative', 'customer service', 'real person'],
    debounce_seconds: 2,
    sla_auto_close_hours: 24,
    ai_api_key_set: false,
    ai_api_key_last4: null,
    ai_temperature: 0.7,
    ai_data_terms_confirmed: false,
    coalesce: true,
  })
})

test('stores only what is sent, false and 0 as sent, and clears with null', async () => {
  await admin.put(PATH, { debounce_seconds: 0, coalesce: false, greeting_message: 'Hello' })
  const { id } = await settingsNow()
  const answer = await admin.put(PATH, { fallback_transfer_after: null, greeting_message: null })
  expect(answer.data).toMatchObject({
    id,
    debounce_seconds: 0,
    coalesce: false,
    greeting_message: null,
    fallback_transfer_after: null,
    session_timeout_minutes: 30,
  })
  expect(verdict(await admin.put(PATH, {}))).toEqual([400, 'invalid_input', ['body']])
})

test('lets a number differ in the fields written for it, and drops that again', async () => {
  await admin.put(PATH, { greeting_message: 'From all', debounce_seconds: 5 })
  await admin.put(ofNumber(), { debounce_seconds: 1 })
  await admin.put(PATH, { greeting_message: 'From all of us' })
  expect(await settingsNow(ofNumber())).toMatchObject({
    account_id: world.tenant.accountId,
    overridden: ['debounce_seconds'],
    greeting_message: 'From all of us',
    debounce_seconds: 1,
  })
  expect((await admin.delete(ofNumber())).status).toBe(200)
  expect(await settingsNow(ofNumber())).toMatchObject({ overridden: [], debounce_seconds: 5 })
  expect(verdict(await admin.delete(PATH))).toEqual([400, 'invalid_input', ['query.account_id']])
})

test('never returns the AI key, which other modules can read', async () => {
  const ctx = systemCtx(world.program.http, world.tenant.id)
  const { data } = await admin.put(PATH, { ai_api_key: 'sk-live-12345678' })
  expect(data).toMatchObject({ ai_api_key_set: true, ai_api_key_last4: '5678' })
  expect(JSON.stringify(data)).not.toContain('sk-live')
  await admin.put(ofNumber(), { ai_api_key: null })
  expect([openAiKey(ctx, null), openAiKey(ctx, world.tenant.accountId)]).toEqual([
    'sk-live-12345678',
    null,
  ])
  expect(effectiveSettings(ctx, world.tenant.accountId).ai_api_key_set).toBe(false)
  await admin.delete(ofNumber())
  expect(openAiKey(ctx, world.tenant.accountId)).toBe('sk-live-12345678')
})
