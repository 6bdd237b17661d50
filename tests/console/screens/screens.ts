import type { BrowserContextOptions, Page } from 'playwright-core'

import type { Loose } from '../../support/client'
import type { Tenant, World } from '../../support/world'
import { actionOf, formOf, receiptOf } from './data-settings'
import { MORE } from './more-screens'
import { addressOf, endpointOf, incomingOf, LONG_NAME, profileOf } from './data'

/** A way to look at the console. */
export interface Variant {
  name: string
  language: 'en' | 'ar'
  density: 'comfortable' | 'compact'
  context: BrowserContextOptions
}

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
}
const DESKTOP: BrowserContextOptions = { viewport: { width: 1_440, height: 900 } }

/** The six ways in which every screen is looked at. */
export const VARIANTS: readonly Variant[] = [
  {
    name: 'desktop-light-compact',
    language: 'en',
    density: 'compact',
    context: { ...DESKTOP, colorScheme: 'light' },
  },
  {
    name: 'desktop-dark',
    language: 'en',
    density: 'comfortable',
    context: { ...DESKTOP, colorScheme: 'dark' },
  },
  {
    name: 'phone-light',
    language: 'en',
    density: 'comfortable',
    context: { ...PHONE, colorScheme: 'light' },
  },
  {
    name: 'phone-dark-arabic',
    language: 'ar',
    density: 'comfortable',
    context: { ...PHONE, colorScheme: 'dark', locale: 'ar' },
  },
  {
    name: 'zoom-200',
    language: 'en',
    density: 'comfortable',
    context: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, colorScheme: 'light' },
  },
  {
    name: '27-inches',
    language: 'en',
    density: 'comfortable',
    context: { viewport: { width: 2_560, height: 1_440 }, colorScheme: 'light' },
  },
]

/** What a screen is taken of. */
export interface Scene {
  world: World
  page: Page
}

/** A screen: its address, and what is done on it before the picture. */
export interface Screen {
  name: string
  /** Who looks at it; nobody is signed in without. */
  as?: (world: World) => Tenant
  /** Whether somebody who runs the server looks at it, instead of an admin. */
  isOperator?: true
  path: (world: World) => string | Promise<string>
  /** Errors of the browser that belong to it. */
  expected?: readonly RegExp[]
  /** Brings the page into the state to look at. Finds parts without words, for every language. */
  prepare?: (scene: Scene) => Promise<void>
}

const first = (world: World): Tenant => world.tenant
const empty = (world: World): Tenant => world.other

const drawn = async ({ page }: Scene): Promise<void> => {
  await page.locator('.bubble').last().waitFor()
}

/** Opens the conversation with everything in it. */
const ana = (world: World): Promise<string> => addressOf(world, 'Ana Sol')

/** Opens a role by its name. */
const roleOf =
  (name: string) =>
  async (world: World): Promise<string> => {
    const { data } = await (await world.as('admin')).get('/api/roles')
    const found = (data['items'] as Loose[]).find((role) => role['name'] === name)
    return `/settings/roles/${String(found?.['id'])}`
  }

/** Opens a part of the first number's screen. */
const numberOf =
  (part = '') =>
  (world: World): string =>
    `/settings/numbers/${world.tenant.accountId ?? ''}${part}`

/** A screen of the first organization on which something is opened before the picture. */
const opened = (
  name: string,
  path: Screen['path'],
  prepare: (page: Page) => Promise<void>,
): Screen => ({ name, as: first, path, prepare: ({ page }) => prepare(page) })

const click =
  (...selectors: string[]) =>
  async (page: Page): Promise<void> => {
    for (const selector of selectors) await page.locator(selector).first().click()
  }

/** Clicks, and waits for what covers a part of the screen: its code may still be on its way. */
const cover =
  (...selectors: string[]) =>
  async (page: Page): Promise<void> => {
    await click(...selectors)(page)
    await page.getByRole('dialog').first().waitFor()
  }

/** Opens a bot flow with a menu, which is made if there is none. */
const flowOf =
  (search = '') =>
  async (world: World): Promise<string> => {
    const admin = await world.as('admin')
    const { data } = await admin.get('/api/chatbot/flows?search=Menu')
    const [known] = data['items'] as Loose[]
    const body = { template_key: 'welcome_menu', name: 'Menu of the bakery' }
    const flow = known ?? (await admin.post('/api/chatbot/flows/from-template', body)).data
    return `/bot/flows/${String(flow['id'])}${search}`
  }

/** Opens the bot flow that customers talked to. */
const busyFlow =
  (search = '') =>
  async (world: World): Promise<string> => {
    const { data } = await (await world.as('admin')).get('/api/chatbot/flows')
    const found = (data['items'] as Loose[]).find(({ name }) => name === 'Find an order')
    return `/bot/flows/${String(found?.['id'])}${search}`
  }

/** Opens a bot flow in which something is to be mended. */
const brokenFlow = async (world: World): Promise<string> => {
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/chatbot/flows?search=Unfinished')
  const [known] = data['items'] as Loose[]
  const nodes = [
    { id: 'ask', type: 'buttons', config: { body: '', buttons: [{ id: 'a', title: 'Same' }] } },
    { id: 'look', type: 'api_call', config: { url: 'https://shop.example.com/orders' } },
    { id: 'lost', type: 'transfer', config: { team_id: '01900000-0000-7000-8000-00000000dead' } },
  ]
  const edges = [{ from: 'ask', to: 'look', condition: 'default' }]
  const graph = { version: 2, entry_node: 'ask', nodes, edges }
  const flow = known ?? (await admin.post('/api/chatbot/flows', { name: 'Unfinished', graph })).data
  return `/bot/flows/${String(flow['id'])}`
}

/** Bot flows: their list, what a new one begins with, and the editor with what stands beside it. */
const FLOWS: readonly Screen[] = [
  { name: 'flows-empty', as: empty, path: () => '/bot/flows' },
  {
    name: 'flows',
    as: first,
    path: async (world) => {
      await flowOf()(world)
      return '/bot/flows'
    },
  },
  opened('flow-new', () => '/bot/flows', cover('.page-head .button.primary')),
  { name: 'flow', as: first, path: flowOf() },
  { name: 'flow-step', as: first, path: flowOf('?node=menu') },
  { name: 'flow-list', as: first, path: flowOf('?as=list') },
  { name: 'flow-start', as: first, path: flowOf('?as=list&node=start') },
  opened('flow-test', flowOf('?side=test'), click('.flow-side .button.quiet')),
  opened('flow-publish', flowOf(), cover('.flow-head .button.primary')),
  { name: 'flow-figures', as: first, path: busyFlow() },
  { name: 'flow-figures-list', as: first, path: busyFlow('?as=list') },
  { name: 'flow-versions', as: first, path: busyFlow('?side=versions') },
  { name: 'flow-problems', as: first, path: brokenFlow },
]

/** What integrators see: endpoints and what was sent to them, what WhatsApp sent, what waits. */
const DEVELOPERS: readonly Screen[] = [
  { name: 'webhooks', as: first, path: () => '/settings/webhooks' },
  { name: 'webhooks-empty', as: empty, path: () => '/settings/webhooks' },
  { name: 'webhook-new', as: first, path: () => '/settings/webhooks/new' },
  { name: 'webhook', as: first, path: (world) => endpointOf(world, '') },
  { name: 'webhook-deliveries', as: first, path: (world) => endpointOf(world, 'deliveries') },
  { name: 'webhook-delivery', as: first, path: (world) => endpointOf(world, 'delivery') },
  opened(
    'webhook-replay',
    (world) => endpointOf(world, 'deliveries'),
    cover('.page-head .button.plain'),
  ),
  { name: 'incoming', as: first, path: () => '/settings/incoming' },
  { name: 'incoming-event', as: first, path: incomingOf },
  { name: 'queue', as: first, path: () => '/settings/queue' },
]

/** What admins prepare for their colleagues. */
const CONTENT: readonly Screen[] = [
  { name: 'fields', as: first, path: () => '/settings/fields' },
  { name: 'fields-empty', as: empty, path: () => '/settings/fields' },
  opened(
    'field',
    () => '/settings/fields',
    async (page) => {
      await click('.item .icon-button')(page)
      await page.getByRole('menuitem').first().click()
    },
  ),
  opened(
    'canned-response',
    () => '/settings/canned-responses',
    async (page) => {
      await click('.item .icon-button')(page)
      await page.getByRole('menuitem').first().click()
    },
  ),
  { name: 'actions', as: first, path: () => '/settings/actions' },
  opened('action', actionOf, (page) => page.locator('.code-box').waitFor()),
  opened('action-tested', actionOf, async (page) => {
    await page.locator('.code-box').waitFor()
    await page.locator('.section').last().locator('.select-button').click()
    await page.getByRole('option').first().click()
    await page.locator('.section').last().locator('.button.plain').click()
    await page.locator('.test-result').scrollIntoViewIfNeeded()
  }),
]
/** What those see who run the server. */
const SERVER: readonly Screen[] = [
  { name: 'server', path: '/server' },
  { name: 'server-jobs', path: '/server/jobs' },
  { name: 'server-schedule', path: '/server/schedule' },
  { name: 'server-settings', path: '/server/settings' },
  { name: 'server-backups', path: '/server/backups' },
  { name: 'server-organizations', path: '/server/organizations' },
  { name: 'server-imports', path: '/server/imports' },
  { name: 'server-moves', path: '/server/moves' },
  { name: 'server-prices', path: '/server/prices' },
]
  .map(({ name, path }): Screen => ({ name, as: first, isOperator: true, path: () => path }))
  .concat([
    {
      ...{ name: 'server-organization', as: first, isOperator: true },
      path: (world) => `/server/organizations/${world.other.id}`,
    },
    {
      ...{ name: 'server-price-import', as: first, isOperator: true, path: () => '/server/prices' },
      prepare: async ({ page }) => {
        await page.locator('.page-head .button').click()
        await page.getByRole('dialog').waitFor()
      },
    },
  ])

/** The bot: what it does, its rules, its knowledge, its conversations. */
const BOT: readonly Screen[] = [
  { name: 'bot', as: first, path: () => '/bot' },
  { name: 'bot-empty', as: empty, path: () => '/bot' },
  {
    name: 'bot-number',
    as: first,
    path: ({ tenant }) => `/bot?number=${tenant.accountId ?? ''}`,
  },
  {
    name: 'bot-rules',
    as: first,
    path: () => '/bot/rules',
    prepare: async ({ page }) => {
      await page.locator('.ask-fields input').first().fill('When do you open?')
      await page.keyboard.press('Enter')
      await page.locator('.ask-answer .phone').waitFor()
    },
  },
  { name: 'bot-ai', as: first, path: () => '/bot/ai' },
  { name: 'bot-ai-empty', as: empty, path: () => '/bot/ai' },
  { name: 'bot-source-new', as: first, path: () => '/bot/ai/new' },
  {
    name: 'bot-answer',
    as: first,
    path: async (world) => {
      const { data } = await (await world.as('admin')).get('/api/chatbot/ai-questions')
      return `/bot/ai/new?question=${String((data['items'] as Loose[])[0]?.['id'])}`
    },
  },
  {
    name: 'bot-source',
    as: first,
    path: async (world) => {
      const { data } = await (await world.as('admin')).get('/api/chatbot/ai-contexts')
      const found = (data['items'] as Loose[]).find(({ name }) => name === 'Handbook')
      return `/bot/ai/${String(found?.['id'])}`
    },
  },
  { name: 'bot-sessions', as: first, path: () => '/bot/sessions' },
  { name: 'bot-sessions-empty', as: empty, path: () => '/bot/sessions' },
  {
    name: 'bot-session',
    as: first,
    path: async (world) => {
      const path = '/api/chatbot/sessions?status=transferred'
      const { data } = await (await world.as('admin')).get(path)
      return `/bot/sessions/${String((data['items'] as Loose[])[0]?.['id'])}`
    },
  },
  { name: 'bot-compliance', as: first, path: () => '/bot/compliance' },
  { name: 'bot-rules-empty', as: empty, path: () => '/bot/rules' },
  { name: 'bot-rule-new', as: first, path: () => '/bot/rules/new' },
  {
    name: 'bot-rule',
    as: first,
    path: async (world) => {
      const { data } = await (await world.as('admin')).get('/api/chatbot/keywords?search=deliver')
      return `/bot/rules/${String((data['items'] as Loose[])[0]?.['id'])}`
    },
  },
]

/** What is kept, for how long, and what leaves as a file. */
const DATA: readonly Screen[] = [
  ...['consent', 'retention', 'privacy', 'exports', 'archives'].map((path): Screen => ({
    name: path,
    as: first,
    path: () => `/settings/${path}`,
  })),
  { name: 'sign-in-rules', as: first, path: () => '/settings/sign-in' },
  { name: 'privacy-request', as: first, path: receiptOf },
  { name: 'privacy-empty', as: empty, path: () => '/settings/privacy' },
  opened('new-export', () => '/settings/exports', cover('.page-head .button.primary')),
  opened('new-archive', () => '/settings/archives', cover('.page-head .button.primary')),
]

/** Forms that customers fill in. */
const FORMS: readonly Screen[] = [
  { name: 'forms', as: first, path: () => '/forms' },
  { name: 'forms-empty', as: empty, path: () => '/forms' },
  opened('form-new', () => '/forms', cover('.page-head .button.primary')),
  opened('form', formOf('Book'), (page) => page.locator('.cm-content').first().waitFor()),
  opened('form-published', formOf('Feedback'), (page) =>
    page.locator('.cm-content').first().waitFor(),
  ),
  { name: 'form-responses', as: first, path: formOf('Feedback', '/responses') },
  { name: 'form-exchanges', as: first, path: formOf('Book', '/exchanges') },
]

/** Menus, dialogs and what else covers a part of a screen. */
const MENUS: readonly Screen[] = [
  opened('views', () => '/inbox', click('.view-button')),
  opened('filters', () => '/inbox', click('.list-head .dotted, .list-head > span .icon-button')),
  opened('notifications', () => '/inbox', click('.bell')),
  opened('account', () => '/inbox', click('.account-button')),
  opened('viewer', ana, async (page) => {
    await page.locator('.bubble').last().waitFor()
    await page.locator('.messages').hover()
    await page.mouse.wheel(0, -900)
    await page.locator('.picture img').click()
    await page.locator('img.viewer').waitFor()
  }),
  opened(
    'template',
    (world) => addressOf(world, 'Bob Late'),
    (page) => page.locator('.template-item').nth(1).click(),
  ),
  opened('canned', ana, (page) => page.locator('.writer textarea').fill('/')),
  opened('emoji', ana, (page) => page.locator('.writer-tools .icon-button').nth(1).click()),
  opened('note', ana, async (page) => {
    await page.locator('.modes .button').nth(1).click()
    await page.locator('.writer textarea').fill('Ask the bakery first. @')
  }),
  opened('schedule', ana, async (page) => {
    await page.locator('.writer textarea').fill('Your cake is ready.')
    // after it there may be the one that also closes the conversation
    await page.locator('.writer-tools > .grow ~ .icon-button').first().click()
  }),
  opened('assign', ana, cover('.thread-head > .icon-button')),
  opened('connect-number', () => '/settings/numbers', cover('.page-head .button.primary')),
  opened('invite', () => '/settings/people', cover('.page-head .button.primary')),
  opened('number-qr', numberOf('/entry-points'), cover('.item .button')),
  opened('new-key', () => '/settings/api-keys', cover('.page-head .button.primary')),
  opened(
    'keys',
    () => '/inbox',
    (page) => page.keyboard.press('Shift+?'),
  ),
]

/** Pages without items, with errors, and those that no menu leads to. */
const STATES: readonly Screen[] = [
  { name: 'search-names', as: first, path: () => '/search?q=Sol' },
  { name: 'search-nothing', as: first, path: () => '/search?q=zzzz' },
  { name: 'search-start', as: first, path: () => '/search' },
  { name: 'search-notes', as: first, path: () => '/search?q=bakery&kind=notes' },
  { name: 'transfers-empty', as: empty, path: () => '/transfers' },
  { name: 'import', as: first, path: () => '/contacts/import' },
  {
    name: 'import-columns',
    as: first,
    path: () => '/contacts/import',
    prepare: async ({ page }) => {
      await page.locator('textarea').fill('Telefon;Name;Stadt\n+49 151 1;Ana;Rom\n12;Bo;Oslo')
      await page.locator('.import-column').first().waitFor()
    },
  },
  opened('contacts-filter', () => '/contacts', click('.filter-bar > .button.plain')),
  opened('contacts-selected', () => '/contacts', click('thead .row-checkbox')),
  { name: 'canned-responses-empty', as: empty, path: () => '/settings/canned-responses' },
  { name: 'teams', as: first, path: () => '/settings/teams' },
  { name: 'tags', as: first, path: () => '/settings/tags' },
  { name: 'api-keys', as: first, path: () => '/settings/api-keys' },
  {
    name: 'forgot',
    path: () => '/login',
    prepare: ({ page }) => click('.button.quiet')(page),
  },
  { name: 'nowhere', as: first, path: () => '/nowhere', expected: [/status of 404/] },
  {
    name: 'error',
    as: first,
    expected: [/status of 500/],
    path: () => '/inbox',
    prepare: async ({ page }) => {
      await page.route('**/api/contacts/search', (route) =>
        route.fulfill({
          status: 500,
          contentType: 'application/json',
          headers: { 'x-request-id': '01900000-0000-7000-8833-000000004711' },
          body: '{"status":"error","data":null,"message":"Internal server error.","code":"internal_error"}',
        }),
      )
      await page.locator('.rail-link').nth(1).click()
      await page.getByRole('alert').waitFor()
    },
  },
]

/** The screens that are looked at. */
export const SCREENS: readonly Screen[] = [
  {
    name: 'sign-in',
    expected: [/status of 401/],
    path: () => '/login',
    prepare: async ({ page }) => {
      await page.locator('input[name=email]').fill('nobody@example.com')
      await page.locator('input[name=password]').fill('wrong')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'welcome', as: empty, path: () => '/welcome' },
  { name: 'inbox-empty', as: empty, path: () => '/inbox' },
  { name: 'inbox', as: first, path: () => '/inbox' },
  {
    name: 'inbox-many',
    as: first,
    path: () => '/inbox',
    prepare: async ({ page }) => {
      const many = { open: 10_000, unread: 9_876 }
      // the session brings the first counts along
      await page.route(/\/api\/(conversations\/counts|auth\/refresh)$/, async (route) => {
        const response = await route.fetch()
        const { data, ...rest } = (await response.json()) as { data: Loose }
        const start = data['start'] as Loose | undefined
        const counts = { ...((start?.['conversation_counts'] ?? data) as Loose), ...many }
        const told = start ? { start: { ...start, conversation_counts: counts } } : counts
        await route.fulfill({ response, json: { ...rest, data: { ...data, ...told } } })
      })
      await page.reload()
      await page.getByText(/9[.,٬]?876|٩٬٨٧٦/).waitFor()
      await page.locator('.rows').hover()
      await page.mouse.wheel(0, 2_000)
    },
  },
  {
    name: 'conversation',
    as: first,
    path: (world) => addressOf(world, 'Ana Sol'),
    prepare: drawn,
  },
  {
    name: 'conversation-history',
    as: first,
    path: (world) => addressOf(world, 'Ana Sol'),
    prepare: async (scene) => {
      await drawn(scene)
      await scene.page.locator('.messages').hover()
      await scene.page.mouse.wheel(0, -700)
    },
  },
  {
    name: 'conversation-long-name',
    as: first,
    path: (world) => addressOf(world, LONG_NAME.slice(0, 20)),
    prepare: drawn,
  },
  {
    name: 'conversation-closed-window',
    as: first,
    path: (world) => addressOf(world, 'Bob Late'),
    prepare: drawn,
  },
  {
    name: 'conversation-without-template',
    as: first,
    path: (world) => addressOf(world, 'Bob Late'),
    prepare: async ({ page }) => {
      await page.locator('.modes .button').nth(1).click()
      await page.locator('.template-cost p').waitFor()
    },
  },
  {
    name: 'selection',
    as: first,
    path: () => '/inbox',
    prepare: async ({ page }) => {
      await page.locator('.row').first().waitFor()
      await page.locator('.list-head .icon-button[aria-pressed]').click()
      await page.locator('.row-checkbox').nth(1).click()
      await page.locator('.row-checkbox').nth(2).click()
    },
  },
  { name: 'search', as: first, path: () => '/search?q=order' },
  { name: 'contacts', as: first, path: () => '/contacts' },
  { name: 'contacts-sorted', as: first, path: () => '/contacts?sort=name&order=desc' },
  { name: 'contacts-empty', as: empty, path: () => '/contacts' },
  { name: 'contacts-nothing', as: first, path: () => '/contacts?q=zzzz' },
  ...['scheduled', 'calls', 'orders', 'contacts/duplicates'].map((path): Screen => ({
    name: path.replace('contacts/', ''),
    as: first,
    path: () => `/${path}`,
  })),
  { name: 'scheduled-all', as: first, path: () => '/scheduled?state=all' },
  { name: 'calls-empty', as: empty, path: () => '/calls' },
  opened('order', () => '/orders', cover('tbody .as-link')),
  opened(
    'call-permission',
    () => '/calls',
    async (page) => {
      await click('.row-menu .icon-button')(page)
      await page.getByRole('menuitem').last().click()
      await page.getByRole('dialog').locator('form p').first().waitFor()
    },
  ),
  { name: 'templates', as: first, path: () => '/templates' },
  opened('template-shown', () => '/templates', click('[data-row] a')),
  { name: 'template-new', as: first, path: () => '/templates/new' },
  { name: 'campaigns', as: first, path: () => '/campaigns' },
  ...(['who', 'what', 'check', 'test', 'when'] as const).map((step): Screen => ({
    name: `campaign-${step}`,
    as: first,
    path: async (world) => {
      const { data } = await (await world.as('admin')).get('/api/campaigns?search=Winter')
      return `/campaigns/${String((data['items'] as Loose[])[0]?.['id'])}/edit?step=${step}`
    },
  })),
  { name: 'campaign-new', as: first, path: () => '/campaigns/new' },
  opened('campaign-menu', () => '/campaigns', click('.row-menu .icon-button')),
  opened('new-contact', () => '/contacts', cover('.page-head .button.primary')),
  { name: 'contact', as: first, path: (world) => profileOf(world, 'Ana Sol') },
  { name: 'transfers', as: first, path: () => '/transfers' },
  { name: 'people', as: first, path: () => '/settings/people' },
  { name: 'organization', as: first, path: () => '/settings/organization' },
  { name: 'hours', as: first, path: () => '/settings/hours' },
  {
    name: 'hours-changed',
    as: first,
    path: () => '/settings/hours',
    prepare: async ({ page }) => {
      await page.locator('.week-day .checkbox').nth(5).click()
      await page.locator('.week-day').nth(5).locator('.icon-button').last().click()
      await page.locator('.page').hover()
      await page.mouse.wheel(0, 500)
    },
  },
  { name: 'roles', as: first, path: () => '/settings/roles' },
  { name: 'audit', as: first, path: () => '/settings/audit' },
  {
    name: 'audit-entry',
    as: first,
    path: () => '/settings/audit?action=updated',
    prepare: async ({ page }) => {
      await page.locator('tbody .as-link').first().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'role', as: first, path: roleOf('Senior agent') },
  { name: 'role-of-system', as: first, path: roleOf('agent') },
  ...[
    'board',
    'live',
    'messages',
    'people',
    'bot',
    'campaigns',
    'costs',
    'quality',
    'mine',
    'reports',
  ].map((tab): Screen => ({
    name: `analytics-${tab}`,
    as: first,
    path: () => `/analytics/${tab}`,
  })),
  { name: 'parts', as: first, path: () => '/dev/parts' },
  { name: 'new-role', as: first, path: () => '/settings/roles/new' },
  { name: 'canned-responses', as: first, path: () => '/settings/canned-responses' },
  { name: 'numbers', as: first, path: () => '/settings/numbers' },
  { name: 'number', as: first, path: numberOf() },
  { name: 'number-profile', as: first, path: numberOf('/profile') },
  { name: 'number-calling', as: first, path: numberOf('/calling') },
  { name: 'number-entry-points', as: first, path: numberOf('/entry-points') },
  { name: 'number-connection', as: first, path: numberOf('/connection') },
  { name: 'profile', as: first, path: () => '/settings/profile' },
  {
    name: 'commands',
    as: first,
    path: (world) => addressOf(world, 'Ana Sol'),
    prepare: async (scene) => {
      await drawn(scene)
      await scene.page.keyboard.press('Control+k')
      await scene.page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'missing',
    as: first,
    expected: [/status of 404/],
    path: () => '/inbox/01900000-0000-7000-8000-00000000dead',
    prepare: async ({ page }) => {
      await page.locator('.thread-pane [role=alert], .thread-pane .state').first().waitFor()
    },
  },
  ...CONTENT,
  ...BOT,
  ...FLOWS,
  ...DATA,
  ...FORMS,
  ...DEVELOPERS,
  ...SERVER,
  ...MENUS,
  ...STATES,
  ...MORE,
]
