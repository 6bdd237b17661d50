import { useRef } from 'react'

import { call } from '../../../api/client'
import { Button } from '../../../parts/button'
import { TextField } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { Select, type Choice } from '../../../parts/select'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import type { Branding, PartProps } from './organization'

/** Colors on which white text can be read, as the API requires. */
const COLORS = {
  gray: '#56606b',
  blue: '#0b57b0',
  green: '#08634b',
  yellow: '#8a5300',
  red: '#b3261e',
  purple: '#6b3fa0',
} as const
const NO_COLOR = 'none'

const colorChoices = (accent: string | null): Choice<string>[] => {
  const known = Object.entries(COLORS).map(([name, id]) => ({
    id: id as string,
    label: t(`settings.color.${name as keyof typeof COLORS}`),
  }))
  const isOwn = accent !== null && !known.some(({ id }) => id === accent)
  return [
    { id: NO_COLOR, label: t('settings.organization.no-color') },
    ...known,
    ...(isOwn
      ? [{ id: accent, label: t('settings.organization.own-color', { color: accent }) }]
      : []),
  ]
}

/** The picture of the organization. It is stored at once. */
function Logo({ url }: { url: string | null }) {
  const input = useRef<HTMLInputElement>(null)
  const refresh = useRefresh('GET /api/organizations/branding')
  const store = (body: FormData | Record<string, null>): void => {
    call('PUT /api/organizations/branding', { body }).then(refresh).catch(report)
  }
  return (
    <div className="logo-field">
      <h3>{t('settings.organization.logo')}</h3>
      {url !== null && <img className="logo" src={url} alt={t('settings.organization.logo')} />}
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-label={t('settings.organization.logo')}
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          const data = new FormData()
          if (file) data.set('logo', file)
          if (file) store(data)
          currentTarget.value = ''
        }}
      />
      <Button
        icon="image"
        onPress={() => {
          input.current?.click()
        }}
      >
        {t('settings.organization.choose-logo')}
      </Button>
      {url !== null && (
        <Button
          onPress={() => {
            store({ logo: null })
          }}
        >
          {t('settings.organization.no-logo')}
        </Button>
      )}
      <p className="muted small">{t('settings.organization.logo-hint')}</p>
    </div>
  )
}

/** How people recognize the organization. */
export function Look({ draft: { value, set }, branding }: PartProps & { branding: Branding }) {
  return (
    <Section title={t('settings.organization.look')} hint={t('settings.organization.look-hint')}>
      <div className="form">
        <TextField
          name="name"
          label={t('settings.field.name')}
          value={value.name}
          onChange={(name) => {
            set({ name })
          }}
          isRequired
          maxLength={255}
          autoComplete="organization"
        />
        <Select
          label={t('settings.organization.color')}
          choices={colorChoices(branding.accent)}
          value={value.accent ?? NO_COLOR}
          onChange={(chosen) => {
            set({ accent: chosen === NO_COLOR ? null : chosen })
          }}
        />
        <Logo url={branding.logo_url} />
      </div>
    </Section>
  )
}
