import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import { callOnce } from '../../api/call-once'
import { saveFile } from '../../api/save-file'
import type { Campaign } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button, IconButton } from '../../parts/button'
import { Checkbox } from '../../parts/choice'
import { Confirm, typedFor } from '../../parts/dialog'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Menu, MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { useVerbs, VERB_ICONS, VERBS } from './verbs'

/** Whether messages that failed can be sent again now. */
export const canRetry = ({ status }: Pick<Campaign, 'status'>): boolean =>
  status === 'paused' || status === 'completed'

/** Sends again to people whose message failed: to all for whom that may help, or to some. */
export async function retry(id: string, codes?: string[]): Promise<void> {
  const { retry_count: people } = await call('POST /api/campaigns/{id}/retry-failed', {
    params: { id },
    body: codes ? { codes } : {},
  })
  notify(t('campaigns.retried', { people }))
}

/** What can be done with a campaign, as far as its state and the rights of the user allow. */
export function Actions({ campaign }: { campaign: Campaign }) {
  const { steer, windows } = useVerbs()
  const [asked, setAsked] = useState<'copy' | 'retry' | null>(null)
  const mayExecute = useCan('campaigns:execute')
  const mayCreate = useCan('campaigns:create')
  const { id, status, failed_count: failed } = campaign
  const verbs = mayExecute ? (VERBS[status] ?? []) : []
  const save = (format: 'csv' | 'xlsx') => () => {
    const wish = { params: { id }, query: { format } }
    saveFile('GET /api/campaigns/{id}/export', wish, `campaign.${format}`).catch(report)
  }
  const close = (): void => {
    setAsked(null)
  }
  const more = t('list.item.actions', { name: campaign.name })
  return (
    <>
      {verbs
        .filter((verb) => verb !== 'cancel')
        .map((verb) => (
          <Button
            key={verb}
            icon={VERB_ICONS[verb]}
            look={verb === 'resume' ? 'primary' : 'plain'}
            onPress={() => {
              steer(verb, campaign)
            }}
          >
            {t(`campaigns.${verb}`)}
          </Button>
        ))}
      <Menu label={more} button={<IconButton icon="more" label={more} />}>
        {mayExecute && canRetry(campaign) && failed > 0 && (
          <MenuItem
            icon="refresh"
            label={t('campaigns.retry')}
            onAction={() => {
              setAsked('retry')
            }}
          />
        )}
        {mayCreate && (
          <MenuItem
            icon="copy"
            label={t('campaigns.copy')}
            onAction={() => {
              setAsked('copy')
            }}
          />
        )}
        <MenuItem icon="download" label={t('campaigns.save-csv')} onAction={save('csv')} />
        <MenuItem icon="download" label={t('campaigns.save-xlsx')} onAction={save('xlsx')} />
        {verbs.includes('cancel') && (
          <MenuItem
            icon={VERB_ICONS.cancel}
            isDangerous
            label={t('campaigns.cancel')}
            onAction={() => {
              steer('cancel', campaign)
            }}
          />
        )}
      </Menu>
      {windows}
      {asked === 'copy' && <CopyDialog campaign={campaign} onClose={close} />}
      <Confirm
        isOpen={asked === 'retry'}
        isDangerous={false}
        title={t('campaigns.retry-title')}
        text={t('campaigns.retry-text', { people: failed })}
        action={t('campaigns.retry')}
        typed={typedFor(failed)}
        onConfirm={() => {
          retry(id).catch(report)
        }}
        onClose={close}
      />
    </>
  )
}

/** Makes a draft like a campaign, and shows it. */
function CopyDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const navigate = useNavigate()
  const [hasPeople, setHasPeople] = useState(false)
  return (
    <FormDialog
      title={t('campaigns.copy-title', { name: campaign.name })}
      submit={t('campaigns.copy')}
      onClose={onClose}
      onSave={async (data) => {
        const made = await callOnce('POST /api/campaigns/{id}/duplicate', {
          params: { id: campaign.id },
          body: { name: textOf(data, 'name').trim(), with_recipients: hasPeople },
        })
        navigate({
          to: '/campaigns/$campaignId',
          params: { campaignId: made.id },
          search: {},
        }).catch(report)
      }}
    >
      <TextField
        name="name"
        label={t('contact.name')}
        defaultValue={t('campaigns.copy-name', { name: campaign.name })}
        maxLength={255}
        isRequired
        autoFocus
      />
      <Checkbox isSelected={hasPeople} onChange={setHasPeople}>
        {t('campaigns.copy-people')}
      </Checkbox>
    </FormDialog>
  )
}
