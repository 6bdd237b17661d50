import type { Draft } from '../../parts/draft'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { formatDuration } from '../../texts/format'
import { t } from '../../texts/texts'
import type { TemplateForm } from './form'

const MINUTE_S = 60
const HOUR_S = 3_600
const DAY_S = 86_400

/** For how long WhatsApp can try to deliver a message, in seconds, by its category. */
const TTLS: Readonly<Record<TemplateForm['category'], readonly number[]>> = {
  AUTHENTICATION: [30, MINUTE_S, 2 * MINUTE_S, 5 * MINUTE_S, 10 * MINUTE_S, 15 * MINUTE_S],
  UTILITY: [5 * MINUTE_S, 30 * MINUTE_S, HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S],
  MARKETING: [12 * HOUR_S, DAY_S, 3 * DAY_S, 7 * DAY_S, 14 * DAY_S, 30 * DAY_S],
}

/** What an opt-out can be, as a choice. */
const OPT_OUTS = { null: null, true: true, false: false } as const

/** Returns how long a message is tried to be delivered. */
export const ttlName = (seconds: number | null): string =>
  seconds === null ? t('templates.ttl-usual') : formatDuration(seconds * 1_000)

/** How WhatsApp delivers a message: for how long it tries, and whether it may change it. */
export function Delivery({ draft: { value: form, set } }: { draft: Draft<TemplateForm> }) {
  const { category, ttl, optOut } = form
  const times = [...new Set([...TTLS[category], ...(ttl === null ? [] : [ttl])])]
  return (
    <Section title={t('templates.delivery')}>
      <div className="form">
        <Select
          name="message_send_ttl_seconds"
          label={t('templates.ttl')}
          hint={t('templates.ttl-hint')}
          choices={[null, ...times].map((one) => ({ id: String(one), label: ttlName(one) }))}
          value={String(ttl)}
          onChange={(id) => {
            set({ ttl: id === 'null' ? null : Number(id) })
          }}
        />
        {category === 'MARKETING' && (
          <Select
            label={t('templates.opt-out')}
            hint={t('templates.opt-out-hint')}
            choices={(['null', 'true', 'false'] as const).map((id) => ({
              id,
              label: t(`templates.opt-out.${id}`),
            }))}
            value={String(optOut) as keyof typeof OPT_OUTS}
            onChange={(id) => {
              set({ optOut: OPT_OUTS[id] })
            }}
          />
        )}
      </div>
    </Section>
  )
}
