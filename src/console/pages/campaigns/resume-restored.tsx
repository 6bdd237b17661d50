import { saveFile } from '../../api/save-file'
import type { Campaign } from '../../api/shapes'
import { Button } from '../../parts/button'
import { Confirm } from '../../parts/dialog'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** A campaign of a restored backup, and how many people may have its message already. */
export interface Restored {
  campaign: Campaign
  people: number
}

interface Props {
  restored: Restored
  onSend: () => void
  onClose: () => void
}

/** Asks whether people who may have the message of a campaign already get it again. */
export function ResumeRestored({ restored: { campaign, people }, onSend, onClose }: Props) {
  const save = (): void => {
    const wish = { params: { id: campaign.id }, query: { status: 'unknown' } } as const
    saveFile('GET /api/campaigns/{id}/export', wish, 'campaign.csv').catch(report)
  }
  return (
    <Confirm
      isOpen
      title={t('campaigns.restored-title', { name: campaign.name })}
      text={t('campaigns.restored-text', { people })}
      action={t('campaigns.restored-send')}
      onConfirm={onSend}
      onClose={onClose}
    >
      {campaign.unknown_count > 0 && (
        <p>
          <Button icon="download" onPress={save}>
            {t('campaigns.restored-list')}
          </Button>
        </p>
      )}
    </Confirm>
  )
}
