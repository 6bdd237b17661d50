/** The way from a Meta account to the first message, as its guide prints it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { codeFacts } from '../../src/platform/client/error-codes'
import { SIMULATED_CODE } from '../../src/simulator/onboarding-edges'
import { runCommand } from '../support/command'
import { ServerProcess } from '../support/process'
import { World } from '../support/world'
import { commandsOf, run } from './commands'
import { missingLine, shownIn } from './console'

const PATH = 'src/docs/meta.md'
const page = readFileSync(join(import.meta.dir, '../..', PATH), 'utf8')

/** The commands of the steps with the test number: sign-in, connecting, subscribing, looking, answering. */
const [connect = '', subscribe = '', look = '', answer = ''] = commandsOf(
  PATH,
  'The test number',
).split(/\n(?= +(?:call -X POST \S+subscribe|call 'http|CONTACT_ID))/)
const [signIn = ''] = connect.split(/\n\n/)

let world: World
let variables: string

beforeAll(async () => {
  world = await World.create({ isConnected: false, tenants: 1 })
  const { phoneId, wabaId, token } = world.tenant
  variables = `PHONE_NUMBER_ID=${phoneId}\nWABA_ID=${wabaId}\nPLATFORM_TOKEN=${token}\n`
})

afterAll(() => world.stop())

describe('the test number', () => {
  test('is connected, tested and subscribed', async () => {
    const [before, subscribed, after] = await run(world, variables + connect + subscribe)
    const [printed = ''] = /^ +\{"connected":true.+$/m.exec(page) ?? []
    expect(before).toMatchObject({ status: 'success', data: JSON.parse(printed) as object })
    expect(subscribed).toMatchObject({ data: { subscribed: true } })
    expect(after).toMatchObject({ data: { subscribed: true, warnings: [] } })
  })

  test('gets a message, and answers it', async () => {
    const customer = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    await customer.says('Hello')
    await world.settle()
    const [contacts, sent] = await run(world, [signIn, look, answer].join('\n'))
    expect(contacts).toMatchObject({
      data: { items: [{ profile_name: 'Ana Sol', last_message_preview: 'Hello' }] },
    })
    expect(sent).toMatchObject({ status: 'success', data: { direction: 'outgoing' } })
    await world.settle()
    expect(customer.received().map(({ body }) => body)).toMatchObject([
      { text: { body: 'It works.' } },
    ])
  })
})

test('a number of your own is verified and registered', async () => {
  const [request = '', code = '', register = ''] = commandsOf(PATH, 'Your own number')
    .split('\n')
    .filter((line) => line.includes('call '))
  const id = '301000000000077'
  world.simulator.addPhone({
    ...{ id, wabaId: world.tenant.wabaId, token: world.tenant.token },
    ...{ displayPhoneNumber: '+1 555-010-0077', verifiedName: 'Acme' },
    ...{ status: 'PENDING', codeVerificationStatus: 'NOT_VERIFIED' },
  })
  const { data: account } = await (
    await world.as('admin')
  ).post('/api/accounts', {
    ...{ name: 'Own', phone_number_id: id, waba_id: world.tenant.wabaId },
    access_token: world.tenant.token,
  })
  expect(account).toMatchObject({ code_verification_status: 'NOT_VERIFIED', registered: false })
  const answers = await run(
    world,
    `${signIn}\nID=${String(account['id'])}\nCODE=${SIMULATED_CODE}\n${request}\n${code}\n${register}`,
  )
  expect(answers.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  expect(answers[2]).toMatchObject({ data: { registered: true } })
  const { data: after } = await (await world.as('admin')).get(`/api/accounts/${account['id']}`)
  expect(after).toMatchObject({ registered: true, code_verification_status: 'VERIFIED' })
})

test('the command prints what the guide shows, once the app secret is set', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recipe-meta-'))
  const env = {
    ...{ DATA_DIR: join(folder, 'data'), PASSWORD_MEMORY_MIB: '8' },
    ...{ BASE_URL: 'https://chat.example.com', APP_SECRET: 'app-secret-of-this-test' },
  }
  try {
    await using _server = await ServerProcess.start({ cwd: folder, env })
    const { out } = await runCommand(['webhook'], { cwd: folder, env })
    const [shown] = shownIn(PATH, 'The test number')
    expect(shown?.command).toBe('switchboard webhook')
    const printed = out.replaceAll(env.DATA_DIR, '/var/lib/switchboard')
    expect(shown && missingLine(shown, printed)).toBeNull()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)

describe('the table of symptoms', () => {
  const table = page.split('## When something does not work')[1] ?? ''

  test('names codes of WhatsApp as the server does', () => {
    const pairs = [...table.matchAll(/^\| `(\w+)`, (?:WhatsApp's code )?(\d+)/gm)]
    expect(pairs.length).toBeGreaterThan(6)
    for (const [, code, number] of pairs)
      expect({ number, code: codeFacts(Number(number))?.code }).toEqual({ number, code })
  })

  test('names the line of the log about a wrong signature', async () => {
    const [, message = '', reason = ''] =
      /the log says `([^`]+)` with the reason `(\w+)`/.exec(table) ?? []
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] })
    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
    const response = await fetch(`${world.url}/api/webhook`, { method: 'POST', headers, body })
    expect(response.status).toBe(401)
    const line = world.logLines.find((each) => each.includes(message)) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({ reason })
  })

  test('leads to steps that are there', () => {
    const steps = [...page.matchAll(/^(\d+)\. \*\*/gm)].map(([, step]) => Number(step))
    expect(steps).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
    const led = [...table.matchAll(/\bsteps? (\d+)(?:, (\d+) and (\d+))?/g)].flatMap((found) =>
      found.slice(1).flatMap((step) => (step === undefined ? [] : [Number(step)])),
    )
    expect(led.length).toBeGreaterThan(8)
    expect(led.filter((step) => !steps.includes(step))).toEqual([])
  })
})

test('the first message takes a quarter of an hour, all steps together', () => {
  const minutes = [...page.matchAll(/^\d+\. \*\*[^*]+\*\* \((\d+) minutes?\)/gm)]
  expect(minutes).toHaveLength(9)
  expect(minutes.reduce((sum, [, part]) => sum + Number(part), 0)).toBeLessThanOrEqual(15)
})

test('buttons have the words of the console', () => {
  const texts = ['shell', 'settings', 'signup'].map(
    (name) =>
      JSON.parse(
        readFileSync(join(import.meta.dir, `../../src/console/texts/en/${name}.json`), 'utf8'),
      ) as Record<string, string>,
  )
  const words = new Set(texts.flatMap((each) => Object.values(each)))
  for (const button of [
    'Connect number',
    'Receive messages…',
    'Test the connection',
    'Set up',
    'Load templates',
  ]) {
    expect(page).toContain(`**${button}**`)
    expect([...words]).toContain(button)
  }
})
