import { Link, useNavigate } from '@tanstack/react-router'
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
import { nameText, t } from '../../texts/texts'
import { BudgetDialog } from './budget-dialog'
import { useDeletion } from './delete-draft'
import { isPrepared, useVerbs, VERB_ICONS, VERBS } from './verbs'

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
  const [asked, setAsked] = useState<'copy' | 'retry' | 'budget' | null>(null)
  const mayExecute = useCan('campaigns:execute')
  const mayChange = useCan('campaigns:update')
  const { id, status, failed_count: failed } = campaign
  const verbs = mayExecute ? (VERBS[status] ?? []) : []
  const close = (): void => {
    setAsked(null)
  }
  return (
    <>
      {mayChange && isPrepared(campaign) && (
        <Link
          className={status === 'draft' ? 'button primary' : 'button plain'}
          to="/campaigns/$campaignId/edit"
          params={{ campaignId: id }}
          search={{}}
        >
          {t(status === 'draft' ? 'campaigns.go-on' : 'campaigns.edit')}
        </Link>
      )}
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
      <More
        campaign={campaign}
        onAsk={setAsked}
        {...(verbs.includes('cancel')
          ? {
              onCancel: () => {
                steer('cancel', campaign)
              },
            }
          : {})}
      />
      {windows}
      {asked === 'copy' && <CopyDialog campaign={campaign} onClose={close} />}
      {asked === 'budget' && <BudgetDialog campaign={campaign} onClose={close} />}
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

interface MoreProps {
  campaign: Campaign
  onAsk: (what: 'copy' | 'retry' | 'budget') => void
  /** Absent if it cannot be cancelled. */
  onCancel?: () => void
}

/** What is done seldom. */
function More({ campaign, onAsk, onCancel }: MoreProps) {
  const navigate = useNavigate()
  const { askDelete, deleteWindow } = useDeletion(() => {
    navigate({ to: '/campaigns', search: {} }).catch(report)
  })
  const mayExecute = useCan('campaigns:execute')
  const mayCreate = useCan('campaigns:create')
  const mayChange = useCan('campaigns:update')
  const mayDelete = useCan('campaigns:delete')
  const { id, status, failed_count: failed } = campaign
  const label = t('list.item.actions', { name: campaign.name })
  const save = (format: 'csv' | 'xlsx') => () => {
    const wish = { params: { id }, query: { format } }
    saveFile('GET /api/campaigns/{id}/export', wish, `campaign.${format}`).catch(report)
  }
  return (
    <>
      <Menu label={label} button={<IconButton icon="more" label={label} />}>
        {mayExecute && canRetry(campaign) && failed > 0 && (
          <MenuItem
            icon="refresh"
            label={t('campaigns.retry')}
            onAction={() => {
              onAsk('retry')
            }}
          />
        )}
        {mayCreate && (
          <MenuItem
            icon="copy"
            label={t('campaigns.copy')}
            onAction={() => {
              onAsk('copy')
            }}
          />
        )}
        {mayChange && status === 'paused' && campaign.budget && (
          <MenuItem
            icon="edit"
            label={t('campaigns.budget-change')}
            onAction={() => {
              onAsk('budget')
            }}
          />
        )}
        <MenuItem icon="download" label={t('campaigns.save-csv')} onAction={save('csv')} />
        <MenuItem icon="download" label={t('campaigns.save-xlsx')} onAction={save('xlsx')} />
        {onCancel && (
          <MenuItem
            icon={VERB_ICONS.cancel}
            isDangerous
            label={t('campaigns.cancel')}
            onAction={onCancel}
          />
        )}
        {mayDelete && status === 'draft' && (
          <MenuItem
            icon="trash"
            isDangerous
            label={t('campaigns.delete')}
            onAction={() => {
              askDelete(campaign)
            }}
          />
        )}
      </Menu>
      {deleteWindow}
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
          to: '/campaigns/$campaignId/edit',
          params: { campaignId: made.id },
          search: {},
        }).catch(report)
      }}
    >
      <TextField
        name="name"
        label={t('contact.name')}
        defaultValue={nameText('campaigns.copy-name', { name: campaign.name })}
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
