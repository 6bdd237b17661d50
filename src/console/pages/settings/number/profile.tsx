import { call } from '../../../api/client'
import type { Account, BusinessProfile } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { CountedField } from '../../../parts/counted'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { TextField } from '../../../parts/field'
import { Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { findText, t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { NumberScreen, type Frame } from './frame'
import { Photo } from './photo'
import { ProfileCard } from './profile-card'
import { changesOf, MOST, valuesOf, VERTICALS, type Values } from './profile-values'

/** Returns what a line of business is called; one that WhatsApp added later by its own word. */
const verticalName = (vertical: string): string =>
  findText(`number.vertical.${vertical}`) ?? vertical

/** Texts are counted as the server counts them. */
const units = (text: string): number => text.length

interface PartProps {
  draft: Draft<Values>
}

/** What customers read about the business. */
function Words({ draft: { value, set } }: PartProps) {
  const field = (name: 'about' | 'description' | 'address') => ({
    name,
    label: t(`number.profile.${name}`),
    most: MOST[name],
    measure: units,
    value: value[name],
    onChange: (text: string) => {
      set({ [name]: text })
    },
  })
  const isKnown = (VERTICALS as readonly string[]).includes(value.vertical)
  return (
    <Section title={t('number.profile.words')} hint={t('number.profile.words-hint')}>
      <div className="form">
        <CountedField {...field('about')} hint={t('number.profile.about-hint')} />
        <CountedField {...field('description')} rows={5} />
        <Select
          name="vertical"
          label={t('number.profile.vertical')}
          choices={VERTICALS.map((id) => ({ id: id as string, label: verticalName(id) }))}
          value={isKnown ? value.vertical : null}
          {...(isKnown || value.vertical === '' ? {} : { chosen: verticalName(value.vertical) })}
          onChange={(vertical) => {
            set({ vertical })
          }}
        />
        <CountedField {...field('address')} rows={2} />
      </div>
    </Section>
  )
}

/** How customers reach the business elsewhere. */
function Reach({ draft: { value, set } }: PartProps) {
  return (
    <Section title={t('number.profile.reach')} hint={t('number.profile.reach-hint')}>
      <div className="form">
        <TextField
          name="email"
          label={t('number.profile.email')}
          inputMode="email"
          maxLength={128}
          value={value.email}
          onChange={(email) => {
            set({ email: email.trim() })
          }}
        />
        {value.websites.map((site, at) => (
          <TextField
            key={at}
            name={`websites.${at}`}
            label={t('number.profile.website', { nth: at + 1 })}
            inputMode="url"
            maxLength={256}
            value={site}
            onChange={(address) => {
              set({ websites: value.websites.with(at, address.trim()) })
            }}
          />
        ))}
      </div>
    </Section>
  )
}

interface Props {
  account: Account
  profile: BusinessProfile
  frame: Frame
}

function ProfileForm({ account, profile, frame }: Props) {
  const params = { id: account.id }
  const draft = useDraft(valuesOf(profile))
  const refresh = useRefresh('GET /api/accounts/{id}/business_profile')
  return (
    <EditPage
      {...frame}
      draft={draft}
      merge={{
        read: (present) => valuesOf(present as BusinessProfile),
        now: () => call('GET /api/accounts/{id}/business_profile', { params }),
        label: (field) =>
          t(field === 'websites' ? 'number.profile.reach' : `number.profile.${field}`),
        show: (field, value) => (field === 'vertical' ? verticalName(String(value)) : null),
      }}
      onSave={async (changes) => {
        const body = changesOf(changes)
        await call('PUT /api/accounts/{id}/business_profile', { params, body })
        await refresh()
      }}
    >
      <div className="beside">
        <div>
          <Photo account={account} profile={profile} />
          <Words draft={draft} />
          <Reach draft={draft} />
        </div>
        <ProfileCard
          account={account}
          profile={draft.value}
          picture={profile.profile_picture_url}
        />
      </div>
    </EditPage>
  )
}

/** What customers see when they open the profile of a number. */
export function NumberProfile() {
  const canEdit = useCan('accounts:update')
  return (
    <NumberScreen>
      {(account, frame) => (
        <ProfileOf key={account.id} account={account} frame={frame} canEdit={canEdit} />
      )}
    </NumberScreen>
  )
}

function ProfileOf({ canEdit, ...props }: Omit<Props, 'profile'> & { canEdit: boolean }) {
  const { account, frame } = props
  const params = { id: account.id }
  const result = useApi('GET /api/accounts/{id}/business_profile', { params })
  if (result.data && canEdit) return <ProfileForm {...props} profile={result.data} />
  return (
    <Page {...frame}>
      <Loaded result={result} rows={6}>
        {(profile) => (
          <ProfileCard
            account={account}
            profile={valuesOf(profile)}
            picture={profile.profile_picture_url}
          />
        )}
      </Loaded>
    </Page>
  )
}
