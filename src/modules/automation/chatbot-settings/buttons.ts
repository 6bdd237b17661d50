import type { Ctx } from '../../../infra/ctx'
import type { BotButton } from './catalog'

/** Gives an ID to each button without one: that of the former button with its title, or a new one. */
export function withButtonIds(
  ctx: Pick<Ctx, 'ids'>,
  given: readonly { id?: string | undefined; title: string }[],
  former: readonly { id?: string | undefined; title: string }[],
): BotButton[] {
  const taken = new Set(given.map(({ id }) => id))
  return given.map(({ id, title }) => {
    const known = former.find((button) => button.title === title && !taken.has(button.id))
    return { id: id ?? known?.id ?? ctx.ids.next(), title }
  })
}
