import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { CountedField } from '../../parts/counted'
import { Button, IconButton } from '../../parts/button'
import { TextField } from '../../parts/field'
import { Menu, MenuItem } from '../../parts/menu'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { BUTTONS, EMPTY_BUTTON, variablesIn, type ButtonForm, type ButtonType } from './form'
import { Remove } from './words'

/** How many buttons of a kind there may be, if fewer than of all kinds. */
const MOST_OF: Partial<Record<ButtonType, number>> = {
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  FLOW: 1,
  VOICE_CALL: 1,
  CALL_PERMISSION_REQUEST: 1,
  CATALOG: 1,
  MPM: 1,
  SPM: 1,
  REQUEST_CONTACT_INFO: 1,
}

/** Buttons without words of WhatsApp's own. */
const OWN_WORDS: ReadonlySet<ButtonType> = new Set(['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'FLOW'])

const isProducts = (type: ButtonType): boolean => ['CATALOG', 'MPM', 'SPM'].includes(type)

interface Props {
  /** Its path in the body. */
  path: string
  buttons: readonly ButtonForm[]
  onChange: (buttons: ButtonForm[]) => void
  /** How many there may be. */
  most: number
}

/** The buttons below a message: as many of each kind as WhatsApp allows. */
export function Buttons({ path, buttons, onChange, most }: Props) {
  const isFree = (type: ButtonType): boolean =>
    buttons.filter((one) => one.type === type).length < (MOST_OF[type] ?? most)
  const change = (index: number, more: Partial<ButtonForm>): void => {
    onChange(buttons.map((one, nth) => (nth === index ? { ...one, ...more } : one)))
  }
  const move = (from: number, to: number): void => {
    const one = buttons[from]
    if (one) onChange(buttons.toSpliced(from, 1).toSpliced(to, 0, one))
  }
  return (
    <div className="form">
      {buttons.map((button, index) => (
        <fieldset key={index} className="button-form">
          <legend className="visually-hidden">
            {t('templates.button-number', { number: index + 1 })}
          </legend>
          <div className="button-head">
            <b className="grow">{t(`templates.button.${button.type}`)}</b>
            {index > 0 && (
              <IconButton
                icon="up"
                size={18}
                label={t('templates.button-up')}
                onPress={() => {
                  move(index, index - 1)
                }}
              />
            )}
            <Remove
              label={t('templates.button-remove', { number: index + 1 })}
              onPress={() => {
                onChange(buttons.toSpliced(index, 1))
              }}
            />
          </div>
          <Fields
            path={`${path}.${index}`}
            button={button}
            onChange={(more) => {
              change(index, more)
            }}
          />
        </fieldset>
      ))}
      {buttons.length < most && (
        <Menu
          label={t('templates.button-add')}
          placement="bottom start"
          button={<Button icon="plus">{t('templates.button-add')}</Button>}
        >
          {BUTTONS.filter(isFree).map((type) => (
            <MenuItem
              key={type}
              label={t(`templates.button.${type}`)}
              onAction={() => {
                onChange(withNew(buttons, type))
              }}
            />
          ))}
        </Menu>
      )}
    </div>
  )
}

/** Puts a new button to those of its kind: quick replies stand side by side. */
function withNew(buttons: readonly ButtonForm[], type: ButtonType): ButtonForm[] {
  const last = buttons.findLastIndex((one) => one.type === type)
  return buttons.toSpliced(last === -1 ? buttons.length : last + 1, 0, { ...EMPTY_BUTTON, type })
}

/** The fields that a button of a kind has. */
function Fields({
  path,
  button,
  onChange,
}: {
  path: string
  button: ButtonForm
  onChange: (more: Partial<ButtonForm>) => void
}) {
  const { type } = button
  const field = (name: Exclude<keyof ButtonForm, 'kept'>) => ({
    name: `${path}.${name}`,
    value: button[name],
    onChange: (value: string) => {
      onChange({ [name]: value })
    },
  })
  return (
    <>
      <CountedField
        {...field('text')}
        {...(OWN_WORDS.has(type) ? {} : { hint: t('templates.button-words-hint') })}
        label={t('templates.button-text')}
        most={25}
      />
      {type === 'URL' && (
        <TextField
          {...field('url')}
          label={t('templates.address')}
          hint={t('templates.address-hint')}
          inputMode="url"
        />
      )}
      {type === 'URL' && variablesIn(button.url).length > 0 && (
        <TextField {...field('example')} label={t('templates.address-example')} />
      )}
      {type === 'PHONE_NUMBER' && (
        <TextField
          {...field('phone_number')}
          label={t('contacts.number')}
          hint={t('contacts.number-hint')}
          inputMode="tel"
        />
      )}
      {type === 'COPY_CODE' && (
        <CountedField {...field('example')} label={t('templates.code-example')} most={15} />
      )}
      {type === 'FLOW' && (
        <>
          <FlowField {...field('flow_id')} />
          <TextField
            {...field('screen')}
            label={t('templates.form-screen')}
            hint={t('templates.form-screen-hint')}
          />
        </>
      )}
      {isProducts(type) && <p className="muted small">{t('templates.products-hint')}</p>}
    </>
  )
}

function FlowField({
  name,
  value,
  onChange,
}: {
  name: string
  value: string
  onChange: (id: string) => void
}) {
  const { data } = useApi('GET /api/flows', { query: { limit: 100 } }, useCan('flows:read'))
  return (
    <Select
      name={name}
      label={t('templates.form')}
      choices={(data?.items ?? []).map((flow) => ({ id: flow.id, label: flow.name }))}
      value={value === '' ? null : value}
      onChange={onChange}
    />
  )
}
