import { call } from '../../api/client'
import type { CustomAction } from '../../api/shapes'
import { useCan } from '../../live/me'
import { t } from '../../texts/texts'
import { Button } from '../button'
import { notify, report } from '../toast'
import { useCustomActions } from './custom-actions'

/** Runs an action on a contact: it calls a program of the organization, or opens an address. */
async function run({ id, config }: CustomAction, contactId: string): Promise<void> {
  const { redirect_url: target, toast } = await call('POST /api/custom-actions/{id}/execute', {
    params: { id },
    body: { contact_id: contactId },
  })
  if (target === null) notify(toast.message)
  else if (config.open_in_new_tab === false) location.assign(target)
  else window.open(target, '_blank', 'noopener,noreferrer')
}

/** Buttons of what the organization added. */
export function CustomActions({ contactId }: { contactId: string }) {
  const mayRun = useCan('custom_actions:read')
  const items = useCustomActions().data?.items ?? []
  if (!mayRun || items.length === 0) return null
  return (
    <section className="panel-part" aria-label={t('parts.contact.actions')}>
      <h3>{t('parts.contact.actions')}</h3>
      <p className="chips">
        {items.map((action) => (
          <Button
            key={action.id}
            onPress={() => {
              run(action, contactId).catch(report)
            }}
          >
            {action.name}
          </Button>
        ))}
      </p>
    </section>
  )
}
