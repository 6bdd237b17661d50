import { useMe } from '../../live/me'
import type { Draft } from '../../parts/draft'
import { NumberField } from '../../parts/field'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { formatSeconds } from '../../texts/points'
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
  seconds === null ? t('templates.ttl-usual') : formatSeconds(seconds)

/** The highest price of 1,000 messages that WhatsApp takes. */
const MOST_PRICE = 1_000_000_000

interface Props {
  draft: Draft<TemplateForm>
  /** Whether WhatsApp has it, so that a highest price can only be changed. */
  isSubmitted: boolean
}

/** How WhatsApp delivers a message: how long it tries, whether it may change it, and what it may cost. */
export function Delivery({ draft, isSubmitted }: Props) {
  const { value: form, set } = draft
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
        {category === 'MARKETING' && <HighestPrice draft={draft} isSubmitted={isSubmitted} />}
      </div>
    </Section>
  )
}

/** The most that a message may cost, for organizations that agreed with Meta on highest prices. */
function HighestPrice({ draft: { value: form, seen, set }, isSubmitted }: Props) {
  const isOn = useMe().organization.settings.template_max_price
  if (!isOn && seen.maxPrice === null) return null
  if (isSubmitted && seen.maxPrice === null)
    return <p className="muted small">{t('templates.max-price-late')}</p>
  const onHint = isSubmitted ? 'templates.max-price-stays' : 'templates.max-price-hint'
  return (
    <NumberField
      name="max_price"
      label={t('templates.max-price')}
      hint={t(isOn ? onHint : 'templates.max-price-off')}
      range={[1, MOST_PRICE]}
      value={form.maxPrice}
      onChange={(maxPrice) => {
        set({ maxPrice })
      }}
      {...(isSubmitted
        ? {}
        : {
            onClear: () => {
              set({ maxPrice: null })
            },
          })}
    />
  )
}
