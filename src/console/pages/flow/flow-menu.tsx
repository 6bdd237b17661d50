import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import { call } from '../../api/client'
import { callOnce } from '../../api/call-once'
import type { BotFlowSummary } from '../../api/shapes'
import { useCan } from '../../live/me'
import { refreshRows, removeRow } from '../../live/rows'
import { Confirm } from '../../parts/dialog'
import { MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { exportFlow } from './file'

/** Something that is done with a flow in a window. */
export interface Asked {
  what: 'start' | 'delete'
  flow: BotFlowSummary
}

/** Whether the person may find a contact and start a flow with it. */
export const useMayStart = (): boolean => useCan('messages:create', 'contacts:read')

/** What is done with a flow of the list. */
export function FlowMenu({ flow, onAsk }: { flow: BotFlowSummary; onAsk: (asked: Asked) => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const mayCreate = useCan('flows:create')
  const mayChange = useCan('flows:update')
  const mayDelete = useCan('flows:delete')
  const mayStart = useMayStart()
  const { id, enabled, version } = flow
  const change = (isOn: boolean): void => {
    call('PUT /api/chatbot/flows/{id}', { params: { id }, body: { enabled: isOn } })
      .then(() => refreshRows(client, 'GET /api/chatbot/flows'))
      .then(() => client.invalidateQueries({ queryKey: ['GET /api/chatbot/settings'] }))
      .catch(report)
  }
  const copy = async (): Promise<void> => {
    const made = await callOnce('POST /api/chatbot/flows/{id}/duplicate', {
      params: { id },
      body: {},
    })
    await navigate({ to: '/bot/flows/$flowId', params: { flowId: made.id }, search: {} })
  }
  return (
    <>
      {mayChange && version !== null && (
        <MenuItem
          icon={enabled ? 'pause' : 'play'}
          label={t(enabled ? 'flow.switch-off' : 'flow.switch-on')}
          onAction={() => {
            change(!enabled)
          }}
        />
      )}
      {mayStart && enabled && (
        <MenuItem
          icon="send"
          label={t('flow.start-for')}
          onAction={() => {
            onAsk({ what: 'start', flow })
          }}
        />
      )}
      {mayCreate && (
        <MenuItem
          icon="copy"
          label={t('flow.duplicate')}
          onAction={() => {
            copy().catch(report)
          }}
        />
      )}
      <MenuItem
        icon="download"
        label={t('flow.export')}
        onAction={() => {
          exportFlow(id).catch(report)
        }}
      />
      {mayDelete && (
        <MenuItem
          icon="trash"
          label={t('flow.delete')}
          isDangerous
          onAction={() => {
            onAsk({ what: 'delete', flow })
          }}
        />
      )}
    </>
  )
}

/** Asks before a flow is deleted. */
export function DeleteFlow({ flow, onClose }: { flow: BotFlowSummary; onClose: () => void }) {
  const client = useQueryClient()
  const { id, name } = flow
  return (
    <Confirm
      isOpen
      title={t('flow.delete-title', { name })}
      text={t('flow.delete-text')}
      action={t('flow.delete')}
      onClose={onClose}
      onConfirm={() => {
        call('DELETE /api/chatbot/flows/{id}', { params: { id } })
          .then(() => {
            removeRow(client, 'GET /api/chatbot/flows', id)
            notify(t('flow.deleted', { name }))
          })
          .catch(report)
      }}
    />
  )
}
