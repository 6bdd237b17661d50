import { Link } from '@tanstack/react-router'

import type { ChatbotSettings } from '../../api/shapes'
import { useApi } from '../../live/query'
import { Switch } from '../../parts/choice'
import { OpeningWeek } from '../../parts/hours/opening-week'
import { Loaded } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { formatAhead } from '../../texts/format'
import { t } from '../../texts/texts'
import type { PartProps } from './settings-form'

/** Says whether the organization, or one phone number, is open now. */
function Now({ accountId }: { accountId: string | null }) {
  const query = accountId === null ? {} : { account_id: accountId }
  return (
    <Loaded result={useApi('GET /api/chatbot/hours', { query })} rows={1}>
      {({ open: isOpen, closes_at: closes, opens_at: opens }) => {
        const next = closes ?? opens
        const word = isOpen ? 'open' : 'closed'
        return (
          <p>
            {next === null
              ? t(`settings.hours.now.${word}`)
              : t(`settings.hours.now.${word}-until`, { time: formatAhead(next) })}
          </p>
        )
      }}
    </Loaded>
  )
}

const TRANSFERS = [
  'queue',
  'refuse',
] as const satisfies readonly ChatbotSettings['transfer_outside_hours'][]

/** What the bot does while nobody is there. The hours themselves have a page of their own. */
export function BotHours({ draft }: PartProps) {
  const { value, set } = draft
  return (
    <Section
      title={t('bot.hours.title')}
      hint={t('bot.hours.hint')}
      actions={
        value.account_id === null && (
          <Link className="button plain" to="/settings/hours" search={{}}>
            {t('bot.hours.open')}
          </Link>
        )
      }
    >
      <span id="hours" />
      <div className="form">
        <Now accountId={value.account_id} />
        {value.account_id !== null && <OpeningWeek draft={draft} />}
        <Switch
          isSelected={value.allow_automated_outside_hours}
          onChange={(isOn) => {
            set({ allow_automated_outside_hours: isOn })
          }}
        >
          {t('bot.hours.answers')}
        </Switch>
        <Select
          label={t('bot.hours.transfer')}
          choices={TRANSFERS.map((id) => ({ id, label: t(`bot.hours.transfer.${id}`) }))}
          value={value.transfer_outside_hours}
          onChange={(what) => {
            set({ transfer_outside_hours: what })
          }}
        />
      </div>
    </Section>
  )
}
