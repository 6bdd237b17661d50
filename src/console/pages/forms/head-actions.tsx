import { call } from '../../api/client'
import type { Flow } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button, IconButton } from '../../parts/button'
import { Menu } from '../../parts/menu'
import { notify } from '../../parts/toast'
import { WorkButton } from '../../parts/work-button'
import { t } from '../../texts/texts'
import { useFormsRefresh, useVerbs } from './verbs'
import { FormState } from './words'

interface Props {
  form: Flow
  /** Whether the page has changes that this server has not got yet. */
  isChanged: boolean
}

/** Opens WhatsApp's own preview, which lies at an address of WhatsApp. */
function Preview({ form: { id } }: Pick<Props, 'form'>) {
  const open = async (): Promise<void> => {
    const wish = { params: { id }, query: {} }
    const { preview_url: url } = await call('GET /api/flows/{id}/preview', wish)
    window.open(url, '_blank', 'noopener,noreferrer')
  }
  return (
    <WorkButton icon="eye" onWork={open}>
      {t('forms.preview')}
    </WorkButton>
  )
}

/** Hands a form to WhatsApp, which says what it finds wrong. */
function SaveToWhatsApp({ form: { id }, isChanged }: Props) {
  const refresh = useFormsRefresh()
  const save = async (): Promise<void> => {
    const answer = await call('POST /api/flows/{id}/save-to-meta', { params: { id } })
    const count = answer.validation_errors.length
    notify(count === 0 ? t('forms.saved') : t('forms.saved-errors', { count }))
    refresh()
  }
  return (
    <WorkButton icon="send" isDisabled={isChanged} onWork={save}>
      {t('forms.save')}
    </WorkButton>
  )
}

/** The state of a form, and what can be done with it. */
export function Actions({ form, isChanged }: Props) {
  const canUpdate = useCan('flows:update')
  const { menu, ask, windows } = useVerbs()
  const isDraft = form.status === 'DRAFT'
  const items = menu(form)
  return (
    <div className="chips">
      <FormState {...form} />
      {form.meta_flow_id !== null && <Preview form={form} />}
      {canUpdate && isDraft && form.has_local_changes && (
        <SaveToWhatsApp form={form} isChanged={isChanged} />
      )}
      {canUpdate && isDraft && !form.has_local_changes && !isChanged && (
        <Button
          look="primary"
          onPress={() => {
            ask(form, 'publish')
          }}
        >
          {t('forms.verb.publish')}
        </Button>
      )}
      {items !== false && (
        <Menu
          label={t('list.item.actions', { name: form.name })}
          button={<IconButton icon="more" label={t('list.item.actions', { name: form.name })} />}
        >
          {items}
        </Menu>
      )}
      {windows}
    </div>
  )
}
