import type { AreaScreen } from '../../parts/area'

/** The screens about the bot, in their order. */
export const BOT_SCREENS = [
  {
    ...{ to: '/bot', text: 'shell.bot.overview', icon: 'chatbot', needs: ['chatbot:read'] },
    isExact: true,
  },
  { to: '/bot/rules', text: 'shell.bot.rules', icon: 'bolt', needs: ['chatbot:read'] },
  { to: '/bot/flows', text: 'shell.bot.flows', icon: 'transfers', needs: ['flows:read'] },
  { to: '/bot/ai', text: 'shell.bot.ai', icon: 'star', needs: ['chatbot:read'] },
  { to: '/bot/sessions', text: 'shell.bot.sessions', icon: 'inbox', needs: ['chatbot:read'] },
  { to: '/bot/compliance', text: 'shell.bot.compliance', icon: 'file', needs: ['settings:read'] },
] as const satisfies readonly AreaScreen[]
