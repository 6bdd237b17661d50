import type { BrowserContextOptions, Page } from 'playwright-core'

import type { Tenant, World } from '../../support/world'
import { addressOf, LONG_NAME, profileOf } from './data'

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
  path: (world: World) => string | Promise<string>
  /** Brings the page into the state to look at. Finds parts without words, for every language. */
  prepare?: (scene: Scene) => Promise<void>
}

const first = (world: World): Tenant => world.tenant
const empty = (world: World): Tenant => world.other

const drawn = async ({ page }: Scene): Promise<void> => {
  await page.locator('.bubble').last().waitFor()
}

/** The screens that are looked at. */
export const SCREENS: readonly Screen[] = [
  {
    name: 'sign-in',
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
    name: 'selection',
    as: first,
    path: () => '/inbox',
    prepare: async ({ page }) => {
      await page.locator('.row').first().waitFor()
      await page.locator('.list-head .icon-button').nth(1).click()
      await page.locator('.row-check .checkbox').nth(1).click()
      await page.locator('.row-check .checkbox').nth(2).click()
    },
  },
  { name: 'search', as: first, path: () => '/search?q=order' },
  { name: 'contact', as: first, path: (world) => profileOf(world, 'Ana Sol') },
  { name: 'transfers', as: first, path: () => '/transfers' },
  { name: 'people', as: first, path: () => '/settings/people' },
  { name: 'canned-responses', as: first, path: () => '/settings/canned-responses' },
  { name: 'numbers', as: first, path: () => '/settings/numbers' },
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
    path: () => '/inbox/01900000-0000-7000-8000-00000000dead',
    prepare: async ({ page }) => {
      await page.locator('.thread-pane [role=alert], .thread-pane .state').first().waitFor()
    },
  },
]
