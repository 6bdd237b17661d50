import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { startSimulator, type Simulator } from '../../src/simulator/platform'

let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator()
})

afterAll(() => simulator.stop())

async function call(
  path: string,
  method = 'GET',
  body?: Loose | FormData,
  token = simulator.phone.token,
): Promise<{ status: number; body: Loose }> {
  const response = await fetch(`${simulator.url}/v25.0/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && !(body instanceof FormData) ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as Loose }
}

const flowsPath = (): string => `${simulator.phone.wabaId}/flows`
const upload = (json: string, changes: Record<string, string> = {}): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries({
    name: 'flow.json',
    asset_type: 'FLOW_JSON',
    ...changes,
  }))
    form.set(name, value)
  form.set('file', new Blob([json], { type: 'application/json' }), 'flow.json')
  return form
}
const codeOf = (answer: { body: Loose }): unknown =>
  (answer.body['error'] as Loose | undefined)?.['code']

test('creates drafts with unique names and known categories only, and knows its fields', async () => {
  const made = await call(flowsPath(), 'POST', { name: 'One', categories: ['SURVEY'] })
  expect(made).toEqual({ status: 200, body: { id: expect.stringMatching(/^\d+$/) } })
  for (const body of [
    { name: 'One', categories: ['SURVEY'] },
    { name: 'Two', categories: [] },
    { name: 'Two', categories: ['X'] },
    { categories: ['OTHER'] },
  ])
    expect(codeOf(await call(flowsPath(), 'POST', body))).toBe(100)
  expect(
    codeOf(await call(flowsPath(), 'POST', { name: 'Two', categories: ['OTHER'], colour: 'red' })),
  ).toBe(100)
  expect(codeOf(await call(`${made.body['id']}?fields=colour`))).toBe(100)
  expect((await call(String(made.body['id']), 'GET', undefined, 'another')).status).toBe(400)
  expect((await call(`${flowsPath()}?limit=1`)).body['paging']).not.toHaveProperty('next')
})

test('stores Flow JSON with errors but does not publish it; published Flows never change', async () => {
  const id = String(
    (await call(flowsPath(), 'POST', { name: 'Faulty', categories: ['OTHER'] })).body['id'],
  )
  expect(codeOf(await call(`${id}/assets`, 'POST', upload('{}', { asset_type: 'PICTURE' })))).toBe(
    100,
  )
  const faulty = await call(
    `${id}/assets`,
    'POST',
    upload('{\n"version": "7.3",\n"initial-text": 1}'),
  )
  expect(faulty.body).toMatchObject({
    success: true,
    validation_errors: [{ error: 'INVALID_PROPERTY', line_start: 3 }],
  })
  expect(codeOf(await call(`${id}/publish`, 'POST'))).toBe(139_002)
  expect((await call(`${id}/assets`, 'POST', upload('{"version": "7.3"}'))).body).toEqual({
    success: true,
    validation_errors: [],
  })
  expect(codeOf(await call(`${id}/deprecate`, 'POST'))).toBe(139_003)
  expect((await call(`${id}/publish`, 'POST')).body).toEqual({ success: true })
  expect(codeOf(await call(`${id}/publish`, 'POST'))).toBe(139_002)
  expect(codeOf(await call(`${id}/assets`, 'POST', upload('{}')))).toBe(139_001)
  expect(codeOf(await call(id, 'POST', { name: 'Another' }))).toBe(139_001)
  expect(codeOf(await call(id, 'DELETE'))).toBe(139_004)
  expect((await call(`${id}/deprecate`, 'POST')).body).toEqual({ success: true })
})
