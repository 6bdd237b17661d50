import { call } from '../../../api/client'
import type { Account, EntryPoints } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Switch } from '../../../parts/choice'
import { CountedField } from '../../../parts/counted'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { Loaded } from '../../../parts/loaded'
import type { Merge } from '../../../parts/merge'
import { Page, Section } from '../../../parts/page'
import { t, type TextKey } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { Commands, Questions } from './entry-lists'
import { changesOf, valuesOf, type Values } from './entry-values'
import { Facts } from './facts'
import { NumberScreen, type Frame } from './frame'
import { Links } from './links'

interface PartProps {
  draft: Draft<Values>
  points: EntryPoints
}

/** What a customer sees who opens the chat for the first time. */
function FirstSight({ draft: { value, set } }: Omit<PartProps, 'points'>) {
  return (
    <>
      <Section title={t('number.entry.questions')} hint={t('number.entry.questions-hint')}>
        <Questions
          questions={value.ice_breakers}
          onChange={(questions) => {
            set({ ice_breakers: questions })
          }}
        />
      </Section>
      <Section title={t('number.entry.commands')} hint={t('number.entry.commands-hint')}>
        <Commands
          commands={value.commands}
          onChange={(commands) => {
            set({ commands })
          }}
        />
      </Section>
      <Section title={t('number.entry.welcome')} hint={t('number.entry.welcome-hint')}>
        <Switch
          isSelected={value.welcome}
          onChange={(welcome) => {
            set({ welcome })
          }}
        >
          {t('number.entry.welcome-on')}
        </Switch>
      </Section>
    </>
  )
}

const STATES = ['approved', 'reserved'] as const

/** Returns how it stands with a username. */
function stateOf({ username }: EntryPoints): string | null {
  if (!username) return null
  const known = STATES.find((one) => one === username.status?.toLowerCase())
  return known ? t(`number.entry.username.${known}`) : username.status
}

/** The name by which customers find the number. */
function Username({ draft: { value, set }, points }: PartProps) {
  const state = stateOf(points)
  return (
    <Section title={t('number.entry.username')} hint={t('number.entry.username-hint')}>
      <div className="form">
        <CountedField
          name="username"
          label={t('number.entry.username')}
          most={35}
          value={value.username}
          onChange={(username) => {
            set({ username: username.trim().replace(/^@/, '') })
          }}
        />
        {state !== null && <p className="muted">{state}</p>}
      </div>
    </Section>
  )
}

/** What customers see of the shop. WhatsApp offers it to some numbers only. */
function Shop({ draft: { value, set }, points }: PartProps) {
  if (points.commerce === null) return null
  return (
    <Section title={t('number.entry.shop')} hint={t('number.entry.shop-hint')}>
      <div className="form">
        <Switch
          isSelected={value.catalog}
          onChange={(catalog) => {
            set({ catalog })
          }}
        >
          {t('number.entry.catalog')}
        </Switch>
        <Switch
          isSelected={value.cart}
          onChange={(cart) => {
            set({ cart })
          }}
        >
          {t('number.entry.cart')}
        </Switch>
      </div>
    </Section>
  )
}

const LABELS: Readonly<Record<keyof Values, TextKey>> = {
  ice_breakers: 'number.entry.questions',
  commands: 'number.entry.commands',
  welcome: 'number.entry.welcome-on',
  username: 'number.entry.username',
  catalog: 'number.entry.catalog',
  cart: 'number.entry.cart',
}

/** How the form shows what somebody else saved meanwhile. */
const mergeOf = (id: string): Merge<Values> => ({
  read: (present) => valuesOf(present as EntryPoints),
  now: () => call('GET /api/accounts/{id}/entry-points', { params: { id } }),
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'commands'
      ? (value as Values['commands'])
          .map(({ name, description }) => `/${name} ${description}`)
          .join(' · ')
      : null,
})

interface Props {
  account: Account
  points: EntryPoints
  frame: Frame
}

function EntryForm({ account, points, frame }: Props) {
  const draft = useDraft(valuesOf(points))
  const refresh = useRefresh('GET /api/accounts/{id}/entry-points')
  return (
    <EditPage
      {...frame}
      draft={draft}
      merge={mergeOf(account.id)}
      onSave={async (changes, seen) => {
        const body = changesOf(changes, { ...seen, ...changes })
        try {
          await call('PUT /api/accounts/{id}/entry-points', { params: { id: account.id }, body })
        } finally {
          // what WhatsApp took before it refused something stays
          await refresh()
        }
      }}
    >
      <Links accountId={account.id} links={points.links} canEdit />
      <FirstSight draft={draft} />
      <Username draft={draft} points={points} />
      <Shop draft={draft} points={points} />
    </EditPage>
  )
}

/** The entry points for those who only read. */
function EntryRead({ points }: Pick<Props, 'points'>) {
  const { ice_breakers: questions, commands, username, commerce, welcome } = points
  const yesOrNo = (is: boolean): string => t(is ? 'number.yes' : 'number.no')
  return (
    <Section title={t('number.entry.chat')}>
      <Facts
        facts={[
          [t('number.entry.username'), username?.name ?? null],
          [t('number.entry.questions'), questions.join(' · ')],
          [
            t('number.entry.commands'),
            commands.map(({ name, description }) => `/${name} ${description}`).join(' · '),
          ],
          [t('number.entry.welcome-on'), yesOrNo(welcome)],
          [t('number.entry.catalog'), commerce && yesOrNo(commerce.catalog_visible)],
          [t('number.entry.cart'), commerce && yesOrNo(commerce.cart_enabled)],
        ]}
      />
    </Section>
  )
}

/** The ways into a chat with a number. */
export function NumberEntryPoints() {
  return (
    <NumberScreen>
      {(account, frame) => <EntryPointsOf key={account.id} account={account} frame={frame} />}
    </NumberScreen>
  )
}

function EntryPointsOf({ account, frame }: Omit<Props, 'points'>) {
  const canEdit = useCan('accounts:update')
  const result = useApi('GET /api/accounts/{id}/entry-points', { params: { id: account.id } })
  if (result.data && canEdit)
    return <EntryForm account={account} frame={frame} points={result.data} />
  return (
    <Page {...frame}>
      <Loaded result={result} rows={6}>
        {(points) => (
          <>
            <Links accountId={account.id} links={points.links} canEdit={false} />
            <EntryRead points={points} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
