import { useNavigate, useParams } from '@tanstack/react-router'

import { callOnce } from '../../../api/call-once'
import { call } from '../../../api/client'
import type { CustomAction } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { useDraft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { Guarded, Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { Facts } from '../number/facts'
import { useRefresh } from '../../../live/use-refresh'
import { ActionFields } from './fields'
import { ActionTest } from './test'
import { changesOf, configOf, EMPTY, MERGE, valuesOf } from './values'

const useActionsRefresh = (): (() => Promise<void>) =>
  useRefresh('GET /api/custom-actions', 'GET /api/custom-actions/{id}')

/** The page on which a custom action is added. It leads to the action, where it is tested. */
export function NewAction() {
  const canAdd = useCan('custom_actions:create')
  return canAdd ? (
    <NewForm />
  ) : (
    <Page title={t('actions.add')}>
      <Guarded needs="custom_actions:create">{null}</Guarded>
    </Page>
  )
}

function NewForm() {
  const navigate = useNavigate()
  const refresh = useActionsRefresh()
  const draft = useDraft(EMPTY)
  return (
    <EditPage
      title={t('actions.add')}
      hint={t('actions.hint')}
      draft={draft}
      isNew
      onSave={async () => {
        const { name, action_type, is_active, display_order } = draft.value
        const body = { name, action_type, is_active, display_order, config: configOf(draft.value) }
        const { id } = await callOnce('POST /api/custom-actions', { body })
        await refresh()
        const to = '/settings/actions/$actionId'
        navigate({ to, params: { actionId: id }, search: {}, replace: true }).catch(report)
      }}
    >
      <ActionFields draft={draft} />
    </EditPage>
  )
}

/** An action that can be changed and tested. */
function ActionForm({ action }: { action: CustomAction }) {
  const draft = useDraft(valuesOf(action))
  const refresh = useActionsRefresh()
  return (
    <EditPage
      title={action.name}
      draft={draft}
      merge={MERGE}
      onSave={async (changes, seen) => {
        await call('PUT /api/custom-actions/{id}', {
          params: { id: action.id },
          body: changesOf(changes, seen),
          ifMatch: seen.updated_at,
        })
        await refresh()
      }}
    >
      <ActionFields draft={draft} />
      <ActionTest id={action.id} values={draft.value} />
    </EditPage>
  )
}

/** An action for those who only read. */
const ActionRead = ({ action }: { action: CustomAction }) => (
  <Page title={action.name}>
    <Section title={t('actions.what')}>
      <Facts
        facts={[
          [t('actions.type'), t(`actions.type.${action.action_type}`)],
          [t('actions.url'), action.config.url],
          [t('actions.method'), action.config.method ?? null],
          [t('webhooks.headers'), Object.keys(action.config.headers ?? {}).join(', ')],
        ]}
      />
    </Section>
  </Page>
)

/** A custom action: what it does, how it calls, and a test. */
export function ActionPage() {
  const { actionId = '' } = useParams({ strict: false })
  const canUpdate = useCan('custom_actions:update')
  const canRead = useCan('custom_actions:read')
  const result = useApi('GET /api/custom-actions/{id}', { params: { id: actionId } }, canRead)
  if (!canRead || !result.data)
    return (
      <Page title={t('actions.title')}>
        <Guarded needs="custom_actions:read">
          <Loaded result={result}>{() => null}</Loaded>
        </Guarded>
      </Page>
    )
  return canUpdate ? (
    <ActionForm key={result.data.id} action={result.data} />
  ) : (
    <ActionRead action={result.data} />
  )
}
