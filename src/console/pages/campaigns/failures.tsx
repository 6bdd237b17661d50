import { Link } from '@tanstack/react-router'

import type { Campaign, CampaignProgress } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { Item, ItemList } from '../../parts/item-list'
import { Section } from '../../parts/page'
import { report } from '../../parts/toast'
import { findText, t } from '../../texts/texts'
import { canRetry, retry } from './campaign-actions'

/** Causes that another try does not change. */
const LASTING = new Set([
  'recipient_unreachable',
  'recipient_rejected',
  'recipient_is_sender',
  'country_restricted',
  'opted_out',
  'contact_blocked',
  'outcome_unknown',
])

/** Returns why messages failed and what to do, in the words of the person if there are some. */
export const causeOf = ({ code, message }: { code: string; message: string }): string =>
  findText(`campaigns.failure.${code}`) ?? message

/** Why messages failed, how many for each cause, and what to do about it. */
export function Failures({
  campaign,
  progress,
}: {
  campaign: Campaign
  progress: CampaignProgress
}) {
  const mayRetry = useCan('campaigns:execute') && canRetry(progress)
  const { id } = campaign
  return (
    <Section title={t('campaigns.failures')}>
      <ItemList label={t('campaigns.failures')}>
        {progress.errors.map(({ code, message, count }) => (
          <Item
            key={code}
            name={t('campaigns.failed-people', { people: count })}
            link={
              <Link
                to="/campaigns/$campaignId"
                params={{ campaignId: id }}
                search={{ view: 'people', error: code }}
              >
                {t('campaigns.failed-people', { people: count })}
              </Link>
            }
            hint={<span dir="auto">{causeOf({ code, message })}</span>}
            actions={
              mayRetry &&
              !LASTING.has(code) && (
                <Button
                  look="quiet"
                  onPress={() => {
                    retry(id, [code]).catch(report)
                  }}
                >
                  {t('campaigns.retry-short')}
                </Button>
              )
            }
          />
        ))}
      </ItemList>
    </Section>
  )
}
