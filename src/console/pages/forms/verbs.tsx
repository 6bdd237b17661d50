import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import { callOnce } from '../../api/call-once'
import type { FlowSummary } from '../../api/shapes'
import { useCan } from '../../live/me'
import { invalidateSoon, refreshRowsSoon } from '../../live/refresh'
import { Confirm } from '../../parts/dialog'
import { MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** What cannot be taken back. */
type Verb = 'publish' | 'retire' | 'delete'

/** Returns a function that loads a form and the list of forms again. */
export function useFormsRefresh(): () => void {
  const client = useQueryClient()
  return () => {
    invalidateSoon(client, 'GET /api/flows/{id}')
    refreshRowsSoon(client, 'GET /api/flows')
  }
}

interface QuestionProps {
  form: FlowSummary
  verb: Verb
  onClose: () => void
  onConfirm: () => void
}

/** Asks before something that cannot be taken back. */
function Question({ form: { name }, verb, ...answers }: QuestionProps) {
  const action = t(`forms.verb.${verb}`)
  return (
    <Confirm
      {...answers}
      isOpen
      title={t('forms.of', { action, name })}
      text={t(`forms.verb.${verb}-ask`)}
      action={t('forms.confirm', { action, name })}
      isDangerous={verb !== 'publish'}
    />
  )
}

interface Verbs {
  /** The items of the menu of a form; nothing without a right. */
  menu: (form: FlowSummary) => ReactNode
  ask: (form: FlowSummary, verb: Verb) => void
  windows: ReactNode
}

/** Returns how forms are published, duplicated, retired and deleted, and the questions before. */
export function useVerbs(): Verbs {
  const navigate = useNavigate()
  const refresh = useFormsRefresh()
  const canCreate = useCan('flows:create')
  const canUpdate = useCan('flows:update')
  const canDelete = useCan('flows:delete')
  const [asked, setAsked] = useState<{ form: FlowSummary; verb: Verb } | null>(null)
  const ask: Verbs['ask'] = (form, verb) => {
    setAsked({ form, verb })
  }
  const duplicate = (form: FlowSummary): void => {
    callOnce('POST /api/flows/{id}/duplicate', { params: { id: form.id }, body: {} })
      .then(({ id }) => navigate({ to: '/forms/$formId', params: { formId: id } }))
      .then(refresh)
      .catch(report)
  }
  const run = async ({ id }: FlowSummary, verb: Verb): Promise<void> => {
    const params = { id }
    if (verb === 'publish') {
      await call('POST /api/flows/{id}/publish', { params })
      notify(t('forms.published'))
    } else if (verb === 'retire') await call('POST /api/flows/{id}/deprecate', { params })
    else {
      await call('DELETE /api/flows/{id}', { params })
      await navigate({ to: '/forms', search: {} })
    }
    refresh()
  }
  const isOut = ({ status }: FlowSummary): boolean => status !== 'DRAFT' && status !== 'DEPRECATED'
  return {
    ask,
    menu: (form) =>
      (canCreate || canUpdate || canDelete) && (
        <>
          {canCreate && (
            <MenuItem
              icon="copy"
              label={t('forms.duplicate')}
              onAction={() => {
                duplicate(form)
              }}
            />
          )}
          {canUpdate && isOut(form) && (
            <MenuItem
              icon="stop"
              isDangerous
              label={t('forms.verb.retire')}
              onAction={() => {
                ask(form, 'retire')
              }}
            />
          )}
          {canDelete && !isOut(form) && (
            <MenuItem
              icon="trash"
              isDangerous
              label={t('forms.verb.delete')}
              onAction={() => {
                ask(form, 'delete')
              }}
            />
          )}
        </>
      ),
    windows: asked && (
      <Question
        {...asked}
        onClose={() => {
          setAsked(null)
        }}
        onConfirm={() => {
          run(asked.form, asked.verb).catch(report)
        }}
      />
    ),
  }
}
