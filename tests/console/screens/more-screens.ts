import type { Loose } from '../../support/client'
import { imported } from '../../support/imports'
import type { World } from '../../support/world'
import { addressOf, profileOf } from './data'
import type { Screen } from './screens'

const first = (world: World) => world.tenant

const idOf = async (world: World, path: string): Promise<string> => {
  const { data } = await (await world.as('admin')).get(path)
  return String((data['items'] as Loose[])[0]?.['id'])
}

/** A screen of the first organization whose address has the id of the first that a list finds. */
const found = (name: string, list: string, path: (id: string) => string): Screen => ({
  name,
  as: first,
  path: async (world) => path(await idOf(world, list)),
})

/** A screen on which keys or clicks open something before the picture. */
const opened = (name: string, path: Screen['path'], ...steps: string[]): Screen => ({
  name,
  as: first,
  path,
  prepare: async ({ page }) => {
    for (const step of steps)
      if (step.startsWith('key ')) await page.keyboard.press(step.slice(4))
      else await page.locator(step).first().click()
    // its code may still be on its way
    await page.getByRole('dialog').or(page.getByRole('menu')).first().waitFor()
  },
})

/** The segment of a name, which is made if there is none. */
async function segmentOf(world: World): Promise<string> {
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/segments?search=Regulars')
  const [known] = data['items'] as Loose[]
  const filter = { all: [{ field: 'created_at', op: 'within_days', value: 30 }] }
  const segment = known ?? (await admin.post('/api/segments', { name: 'Regulars', filter })).data
  return `/contacts/segments/${String(segment['id'])}`
}

/** A file of contacts that was imported, with a row that could not be. */
async function importOf(world: World): Promise<string> {
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/imports?state=completed')
  const [known] = (data['items'] as Loose[]).filter((one) => one['state'] === 'completed')
  const file = 'phone_number,name\n+4915550008881,Ana\nnonsense,Bo\n+4915550008882,محمد\n'
  const run = known ?? (await imported(world, admin, { file }))
  return `/contacts/import/${String(run['id'])}`
}

/** What somebody sees who opens an invitation. */
async function invitationOf(world: World): Promise<string> {
  const admin = await world.as('admin')
  const { data } = await admin.post('/api/organizations/invitations', {})
  const { pathname, hash } = new URL(String(data['invite_url']))
  return `${pathname}${hash}`
}

const ana = (world: World): Promise<string> => addressOf(world, 'Ana Sol')

/** What only a step further leads to: one of a list, a dialog, a link of an email. */
export const MORE: readonly Screen[] = [
  found('campaign', '/api/campaigns?search=Spring', (id) => `/campaigns/${id}`),
  found('campaign-paused', '/api/campaigns?search=Opening', (id) => `/campaigns/${id}`),
  found('template-rejected', '/api/templates?search=discount', (id) => `/templates/${id}`),
  { name: 'segment', as: first, path: segmentOf },
  { name: 'import-report', as: first, path: importOf },
  { ...found('server-job', '/api/jobs', (id) => `/server/jobs/${id}`), isOperator: true },
  { name: 'action-new', as: first, path: () => '/settings/actions/new' },
  { name: 'join', path: invitationOf },
  { name: 'join-spent', expected: [/status of 4/], path: () => '/join#token=spent' },
  { name: 'reset-password', path: () => '/reset-password#token=any' },
  opened('new-message', () => '/inbox', 'key c'),
  opened('snooze', ana, '.bubble', 'key s'),
  opened('contact-more', (world) => profileOf(world, 'Ana Sol'), '.page-head .icon-button'),
  opened('add-widget', () => '/analytics/board', '.actions .button'),
  opened('report-schedule', () => '/analytics/reports', '.button.primary'),
  opened('tag-new', () => '/settings/tags', '.page-head .button.primary'),
  opened('team-new', () => '/settings/teams', '.page-head .button.primary'),
]
