/** The texts of the pages behind links. Those with a code replace the message of that error. */
interface LinkTexts {
  noscript: string
  signIn: string
  resetTitle: string
  newPassword: string
  rule: string
  repeat: string
  save: string
  joinTitle: string
  email: string
  name: string
  password: string
  ruleOfJoin: string
  code: string
  join: string
  unreachable: string
  incomplete: string
  different: string
  saved: string
  /** {role}: one of `roles`, or the name of an own role. */
  invited: string
  /** What people call the roles of the system. */
  roles: Record<'admin' | 'manager' | 'agent', string>
  joined: string
  reset_invalid: string
  invitation_invalid: string
  password_too_common: string
  too_many_failures: string
  two_factor_required: string
  two_factor_invalid: string
  invitation_email_mismatch: string
  membership_suspended: string
  email_taken: string
  already_member: string
  registration_closed: string
  invitation_required: string
}

/** The texts by language, those that the console has. */
export const LINK_TEXTS = {
  en: {
    noscript: 'This page needs JavaScript.',
    signIn: 'Sign in',
    resetTitle: 'Reset your password',
    newPassword: 'New password',
    rule: '8 to 256 characters.',
    repeat: 'Repeat password',
    save: 'Save password',
    joinTitle: 'Join an organization',
    email: 'Email',
    name: 'Full name',
    password: 'Password',
    ruleOfJoin: '8 to 256 characters. If you already have an account, enter its password.',
    code: 'Code from your authenticator app, or a backup code',
    join: 'Join',
    unreachable: 'The server could not be reached. Try again.',
    incomplete: 'This link is incomplete. Copy the whole link from the email.',
    different: 'The passwords do not match.',
    saved: 'Password saved. You have been signed out everywhere; sign in with your new password.',
    invited: 'You are invited to join {organization} as {role}.',
    roles: { admin: 'Admin', manager: 'Manager', agent: 'Agent' },
    joined: 'You joined {organization}.',
    reset_invalid: 'This link is invalid or has expired. Ask for a new one.',
    invitation_invalid: 'This invitation is invalid or has expired. Ask for a new one.',
    password_too_common: 'This password is too common. Choose another one.',
    too_many_failures: 'Too many attempts. Try again in a few minutes.',
    two_factor_required: 'Enter the code from your authenticator app.',
    two_factor_invalid: 'This code is wrong or was used already.',
    invitation_email_mismatch: 'This invitation is for another email address.',
    membership_suspended: 'You are suspended in this organization. Ask its administrators.',
    email_taken: 'This email has an account with another password.',
    already_member: 'You are already a member. Sign in.',
    registration_closed: 'This organization takes nobody new at the moment.',
    invitation_required: 'This organization needs an invitation.',
  },
  de: {
    noscript: 'Diese Seite braucht JavaScript.',
    signIn: 'Anmelden',
    resetTitle: 'Neues Passwort',
    newPassword: 'Neues Passwort',
    rule: '8 bis 256 Zeichen.',
    repeat: 'Passwort wiederholen',
    save: 'Passwort speichern',
    joinTitle: 'Einer Organisation beitreten',
    email: 'E-Mail',
    name: 'Vor- und Nachname',
    password: 'Passwort',
    ruleOfJoin: '8 bis 256 Zeichen. Wenn Sie schon ein Konto haben, geben Sie dessen Passwort ein.',
    code: 'Code aus Ihrer Authenticator-App oder ein Ersatzcode',
    join: 'Beitreten',
    unreachable: 'Der Server war nicht erreichbar. Versuchen Sie es noch einmal.',
    incomplete: 'Dieser Link ist unvollständig. Kopieren Sie den ganzen Link aus der E-Mail.',
    different: 'Die Passwörter stimmen nicht überein.',
    saved:
      'Passwort gespeichert. Sie wurden überall abgemeldet; melden Sie sich mit dem neuen Passwort an.',
    invited: 'Sie sind eingeladen, {organization} als {role} beizutreten.',
    roles: { admin: 'Admin', manager: 'Manager', agent: 'Agent' },
    joined: 'Sie sind {organization} beigetreten.',
    reset_invalid: 'Dieser Link ist ungültig oder abgelaufen. Bitten Sie um einen neuen.',
    invitation_invalid: 'Diese Einladung ist ungültig oder abgelaufen. Bitten Sie um eine neue.',
    password_too_common: 'Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.',
    too_many_failures: 'Zu viele Versuche. Versuchen Sie es in einigen Minuten noch einmal.',
    two_factor_required: 'Geben Sie den Code aus Ihrer Authenticator-App ein.',
    two_factor_invalid: 'Dieser Code ist falsch oder wurde schon benutzt.',
    invitation_email_mismatch: 'Diese Einladung gilt für eine andere E-Mail-Adresse.',
    membership_suspended:
      'Sie sind in dieser Organisation gesperrt. Fragen Sie deren Administratoren.',
    email_taken: 'Zu dieser E-Mail-Adresse gibt es ein Konto mit einem anderen Passwort.',
    already_member: 'Sie sind schon Mitglied. Melden Sie sich an.',
    registration_closed: 'Diese Organisation nimmt zurzeit niemanden auf.',
    invitation_required: 'Für diese Organisation brauchen Sie eine Einladung.',
  },
  es: {
    noscript: 'Esta página necesita JavaScript.',
    signIn: 'Iniciar sesión',
    resetTitle: 'Restablecer su contraseña',
    newPassword: 'Nueva contraseña',
    rule: 'De 8 a 256 caracteres.',
    repeat: 'Repetir contraseña',
    save: 'Guardar contraseña',
    joinTitle: 'Unirse a una organización',
    email: 'Correo electrónico',
    name: 'Nombre completo',
    password: 'Contraseña',
    ruleOfJoin: 'De 8 a 256 caracteres. Si ya tiene una cuenta, escriba su contraseña.',
    code: 'Código de su aplicación de autenticación, o un código de respaldo',
    join: 'Unirse',
    unreachable: 'No se pudo contactar con el servidor. Inténtelo de nuevo.',
    incomplete: 'Este enlace está incompleto. Copie el enlace entero del correo.',
    different: 'Las contraseñas no coinciden.',
    saved:
      'Contraseña guardada. Se ha cerrado su sesión en todas partes; inicie sesión con la nueva contraseña.',
    invited: 'Le invitan a unirse a {organization} como {role}.',
    roles: { admin: 'Administrador', manager: 'Responsable', agent: 'Agente' },
    joined: 'Se ha unido a {organization}.',
    reset_invalid: 'Este enlace no es válido o ha caducado. Pida uno nuevo.',
    invitation_invalid: 'Esta invitación no es válida o ha caducado. Pida una nueva.',
    password_too_common: 'Esta contraseña es demasiado común. Elija otra.',
    too_many_failures: 'Demasiados intentos. Inténtelo de nuevo en unos minutos.',
    two_factor_required: 'Escriba el código de su aplicación de autenticación.',
    two_factor_invalid: 'Este código es incorrecto o ya se usó.',
    invitation_email_mismatch: 'Esta invitación es para otra dirección de correo.',
    membership_suspended: 'Está suspendido en esta organización. Pregunte a sus administradores.',
    email_taken: 'Este correo ya tiene una cuenta con otra contraseña.',
    already_member: 'Ya es miembro. Inicie sesión.',
    registration_closed: 'Esta organización no admite a nadie por ahora.',
    invitation_required: 'Esta organización requiere una invitación.',
  },
  pt: {
    noscript: 'Esta página precisa de JavaScript.',
    signIn: 'Entrar',
    resetTitle: 'Redefinir sua senha',
    newPassword: 'Nova senha',
    rule: 'De 8 a 256 caracteres.',
    repeat: 'Repetir senha',
    save: 'Salvar senha',
    joinTitle: 'Entrar em uma organização',
    email: 'E-mail',
    name: 'Nome completo',
    password: 'Senha',
    ruleOfJoin: 'De 8 a 256 caracteres. Se você já tem uma conta, digite a senha dela.',
    code: 'Código do seu aplicativo autenticador, ou um código de reserva',
    join: 'Entrar',
    unreachable: 'Não foi possível falar com o servidor. Tente de novo.',
    incomplete: 'Este link está incompleto. Copie o link inteiro do e-mail.',
    different: 'As senhas não são iguais.',
    saved: 'Senha salva. Você saiu em todos os dispositivos; entre com a nova senha.',
    invited: 'Você foi convidado para {organization} como {role}.',
    roles: { admin: 'Administrador', manager: 'Gestor', agent: 'Agente' },
    joined: 'Você entrou em {organization}.',
    reset_invalid: 'Este link é inválido ou expirou. Peça um novo.',
    invitation_invalid: 'Este convite é inválido ou expirou. Peça um novo.',
    password_too_common: 'Esta senha é comum demais. Escolha outra.',
    too_many_failures: 'Tentativas demais. Tente de novo em alguns minutos.',
    two_factor_required: 'Digite o código do seu aplicativo autenticador.',
    two_factor_invalid: 'Este código está errado ou já foi usado.',
    invitation_email_mismatch: 'Este convite é para outro endereço de e-mail.',
    membership_suspended: 'Você está suspenso nesta organização. Fale com os administradores.',
    email_taken: 'Este e-mail já tem uma conta com outra senha.',
    already_member: 'Você já é membro. Entre.',
    registration_closed: 'Esta organização não aceita ninguém no momento.',
    invitation_required: 'Esta organização exige um convite.',
  },
  ar: {
    noscript: 'تحتاج هذه الصفحة إلى JavaScript.',
    signIn: 'تسجيل الدخول',
    resetTitle: 'إعادة تعيين كلمة المرور',
    newPassword: 'كلمة المرور الجديدة',
    rule: 'من 8 إلى 256 حرفًا.',
    repeat: 'تكرار كلمة المرور',
    save: 'حفظ كلمة المرور',
    joinTitle: 'الانضمام إلى مؤسسة',
    email: 'البريد الإلكتروني',
    name: 'الاسم الكامل',
    password: 'كلمة المرور',
    ruleOfJoin: 'من 8 إلى 256 حرفًا. إذا كان لديك حساب فأدخل كلمة مروره.',
    code: 'الرمز من تطبيق المصادقة أو رمز احتياطي',
    join: 'انضمام',
    unreachable: 'تعذّر الوصول إلى الخادم. حاول مرة أخرى.',
    incomplete: 'هذا الرابط ناقص. انسخ الرابط كاملًا من البريد.',
    different: 'كلمتا المرور غير متطابقتين.',
    saved: 'حُفظت كلمة المرور. سُجّل خروجك من كل الأجهزة؛ سجّل الدخول بكلمة المرور الجديدة.',
    invited: 'أنت مدعو للانضمام إلى {organization} بصفة {role}.',
    roles: { admin: 'مسؤول', manager: 'مدير', agent: 'وكيل' },
    joined: 'انضممتَ إلى {organization}.',
    reset_invalid: 'هذا الرابط غير صالح أو انتهت صلاحيته. اطلب رابطًا جديدًا.',
    invitation_invalid: 'هذه الدعوة غير صالحة أو انتهت صلاحيتها. اطلب دعوة جديدة.',
    password_too_common: 'كلمة المرور هذه شائعة جدًا. اختر غيرها.',
    too_many_failures: 'محاولات كثيرة جدًا. حاول مرة أخرى بعد بضع دقائق.',
    two_factor_required: 'أدخل الرمز من تطبيق المصادقة.',
    two_factor_invalid: 'هذا الرمز خاطئ أو استُخدم من قبل.',
    invitation_email_mismatch: 'هذه الدعوة لعنوان بريد آخر.',
    membership_suspended: 'حسابك موقوف في هذه المؤسسة. اسأل مديريها.',
    email_taken: 'لهذا البريد حساب بكلمة مرور أخرى.',
    already_member: 'أنت عضو بالفعل. سجّل الدخول.',
    registration_closed: 'لا تقبل هذه المؤسسة أحدًا حاليًا.',
    invitation_required: 'تتطلب هذه المؤسسة دعوة.',
  },
} satisfies Record<string, LinkTexts>

/** A language of the pages. */
export type Language = keyof typeof LINK_TEXTS

const isLanguage = (word: string): word is Language => Object.hasOwn(LINK_TEXTS, word)

/** Returns the language that an address names, or else the first one of the browser; English if none. */
export function languageOf({ url, headers }: Request): Language {
  const named = new URL(url).searchParams.get('language') ?? headers.get('accept-language') ?? ''
  const words = named.split(',').map((one) => one.trim().toLowerCase().split(/[-;]/)[0] ?? '')
  return words.find(isLanguage) ?? 'en'
}
