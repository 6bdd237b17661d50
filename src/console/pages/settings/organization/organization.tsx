import { call, type Data } from '../../../api/client'
import { reloadMe } from '../../../api/session'
import type { Me } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Switch } from '../../../parts/choice'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { SearchSelect } from '../../../parts/search-select'
import { Select, type Choice } from '../../../parts/select'
import { formatCountry, formatDateAs, NOT_CHOSEN } from '../../../texts/format'
import { LANGUAGES } from '../../../texts/languages'
import { countries, timeZones } from '../../../texts/places'
import { t, type TextKey } from '../../../texts/texts'
import { mergeOfSettings } from '../merge-settings'
import { useRefresh } from '../../../live/use-refresh'
import { Budget } from './budget'
import { Look } from './look'

/** How an organization looks. */
export type Branding = Data<'GET /api/organizations/branding'>

/** What the page changes. */
type Values = Me['organization']['settings'] &
  Pick<Me['organization'], 'name' | 'updated_at'> & { accent: string | null }

/** What a part of the page shows and changes. */
export interface PartProps {
  draft: Draft<Values>
}

/** Patterns of dates, the first of which follows the language. */
const PATTERNS = [NOT_CHOSEN, 'DD.MM.YYYY', 'DD/MM/YYYY', 'DD-MM-YYYY', 'MM/DD/YYYY', 'YYYY/MM/DD']
const NO_COUNTRY = 'none'
const NO_LANGUAGE = 'none'

/** Returns the languages of the console, and the one that is chosen. */
const languagesWith = (chosen: string | null): Choice<string>[] => [
  ...Object.entries(LANGUAGES).map(([id, label]) => ({ id, label })),
  ...(chosen === null || chosen in LANGUAGES ? [] : [{ id: chosen, label: chosen }]),
]

/** By which clock the organization lives, and how dates and numbers are written. */
function Formats({ draft: { value, set } }: PartProps) {
  const patterns = [...new Set([...PATTERNS, value.date_format])]
  return (
    <Section
      title={t('settings.organization.formats')}
      hint={t('settings.organization.formats-hint')}
    >
      <div className="form">
        <SearchSelect
          label={t('settings.organization.timezone')}
          choices={timeZones().map((id) => ({ id, label: id.replaceAll('_', ' ') }))}
          value={value.timezone}
          onChange={(timezone) => {
            set({ timezone })
          }}
        />
        <Select
          label={t('settings.organization.language')}
          hint={t('settings.organization.language-hint')}
          choices={[
            { id: NO_LANGUAGE, label: t('settings.organization.no-language') },
            ...languagesWith(value.language),
          ]}
          value={value.language ?? NO_LANGUAGE}
          onChange={(chosen) => {
            set({ language: chosen === NO_LANGUAGE ? null : chosen })
          }}
        />
        <Select
          label={t('settings.organization.date-format')}
          choices={patterns.map((id) => {
            const example = formatDateAs(Date.now(), id)
            return {
              id,
              label:
                id === NOT_CHOSEN ? t('settings.organization.by-language', { example }) : example,
            }
          })}
          value={value.date_format}
          onChange={(pattern) => {
            set({ date_format: pattern })
          }}
        />
        <SearchSelect
          label={t('settings.organization.country')}
          hint={t('settings.organization.country-hint')}
          choices={[
            { id: NO_COUNTRY, label: t('settings.organization.no-country') },
            ...countries().map((id) => ({ id, label: formatCountry(id) })),
          ]}
          value={value.default_country ?? NO_COUNTRY}
          onChange={(chosen) => {
            set({ default_country: chosen === NO_COUNTRY ? null : chosen })
          }}
        />
      </div>
    </Section>
  )
}

/** Who sees what of customers. */
const PRIVACY = [
  ['mask_phone_numbers', 'mask'],
  ['push_shows_content', 'push'],
] as const

/** What WhatsApp may do with marketing messages. */
const MARKETING = [
  ['message_activity_sharing', 'sharing'],
  ['creative_opt_out', 'creative'],
  ['template_max_price', 'price'],
] as const

/** Choices that are on or off, each with what it means. */
function Choices({
  title,
  hint,
  choices,
  draft: { value, set },
}: PartProps & {
  title: string
  hint?: string
  choices: typeof PRIVACY | typeof MARKETING
}) {
  return (
    <Section title={title} {...(hint === undefined ? {} : { hint })}>
      <div className="form">
        {choices.map(([field, text]) => (
          <div key={field} className="choice-with-hint">
            <Switch
              isSelected={value[field]}
              onChange={(isOn) => {
                set({ [field]: isOn })
              }}
            >
              {t(`settings.organization.${text}`)}
            </Switch>
            <p className="muted small">{t(`settings.organization.${text}-hint`)}</p>
          </div>
        ))}
      </div>
    </Section>
  )
}

/** What people call what they may have changed at the same time. */
const LABELS = {
  name: 'settings.field.name',
  timezone: 'settings.organization.timezone',
  language: 'settings.organization.language',
  spend: 'settings.budget.title',
  date_format: 'settings.organization.date-format',
  default_country: 'settings.organization.country',
  mask_phone_numbers: 'settings.organization.mask',
  push_shows_content: 'settings.organization.push',
  message_activity_sharing: 'settings.organization.sharing',
  creative_opt_out: 'settings.organization.creative',
  template_max_price: 'settings.organization.price',
} as const satisfies Partial<Record<keyof Values, TextKey>>

/** The form, once everything is loaded. */
function OrganizationForm({ branding }: { branding: Branding }) {
  const { organization } = useMe()
  const draft = useDraft<Values>({
    ...organization.settings,
    name: organization.name,
    updated_at: organization.updated_at,
    accent: branding.accent,
  })
  const refresh = useRefresh(
    'GET /api/organizations/branding',
    'GET /api/me/organizations',
    'GET /api/chatbot/hours',
  )
  const save = async (
    { accent, ...changes }: Partial<Values>,
    { updated_at: ifMatch }: Values,
  ): Promise<void> => {
    if (Object.keys(changes).length > 0)
      await call('PUT /api/organizations/settings', { body: changes, ifMatch })
    if (accent !== undefined) await call('PUT /api/organizations/branding', { body: { accent } })
    await Promise.all([reloadMe(), refresh()])
  }
  return (
    <EditPage
      title={t('settings.organization.title')}
      draft={draft}
      onSave={save}
      merge={mergeOfSettings<Values>(LABELS)}
    >
      <Look draft={draft} branding={branding} />
      <Formats draft={draft} />
      <Choices title={t('settings.organization.privacy')} choices={PRIVACY} draft={draft} />
      <Choices
        title={t('settings.organization.marketing')}
        hint={t('settings.organization.marketing-hint')}
        choices={MARKETING}
        draft={draft}
      />
      <Budget draft={draft} />
    </EditPage>
  )
}

/** What the organization is called and looks like, its clock and formats, and who sees what. */
export function Organization() {
  const mayUpdate = useCan('settings:update')
  const result = useApi('GET /api/organizations/branding', {}, mayUpdate)
  if (mayUpdate && result.data) return <OrganizationForm branding={result.data} />
  return (
    <Page title={t('settings.organization.title')}>
      <Guarded needs="settings:update">
        <Loaded result={result}>{() => null}</Loaded>
      </Guarded>
    </Page>
  )
}
