/** Translations of the emails, by their English message. */
export const messages: Readonly<Record<string, string>> = {
  'unlimited credits': 'créditos ilimitados',
  '{credits} credits': '{credits, plural, one {# crédito} other {# créditos}}',
  'as requested': 'según lo solicitado',
  'because every delivery to it has failed for five days': 'porque todas las entregas fallaron durante cinco días',
  'because it responded that it is gone (410)': 'porque respondió que ya no existe (410)',
  'Your webhook was disabled': 'Su webhook se ha desactivado',
  'The webhook at {host} was disabled {reason}. It receives no events until you enable it again.':
    'El webhook de {host} se ha desactivado {reason}. No recibirá eventos hasta que vuelva a activarlo.',
  'View your webhooks': 'Ver sus webhooks',
  'Pending deliveries are kept for 30 days and sent once the webhook is enabled.':
    'Las entregas pendientes se conservan durante 30 días y se envían cuando se reactiva el webhook.',
  'We received your payment of {amount} for: {what}.': 'Hemos recibido su pago de {amount}. Concepto: {what}.',
  '{credits, plural, one {# credit was} other {# credits were}} added and can be spent until {until}.':
    '{credits, plural, one {Se ha añadido # crédito, que puede utilizarse} other {Se han añadido # créditos, que pueden utilizarse}} hasta el {until}.',
  'Receipt for {amount}': 'Recibo de {amount}',
  'View the receipt': 'Ver el recibo',
  'All payments and their invoices are on the billing page of your account.':
    'Todos los pagos y sus facturas están en la página de facturación de su cuenta.',
  'Your payment for {plan} failed': 'Su pago de {plan} ha fallado',
  'We could not charge {amount} for the next month of {plan}. You keep the limits of the plan until {until}, without new credits. If it is not paid by then, the plan ends.':
    'No hemos podido cobrar {amount} por el próximo mes de {plan}. Conserva los límites del plan hasta el {until}, sin créditos nuevos. Si no se paga antes de esa fecha, el plan finalizará.',
  'Pay or change the card': 'Pagar o cambiar la tarjeta',
  'The charge will be tried again. If you pay in the meantime, there is nothing else to do.':
    'Se volverá a intentar el cobro. Si paga mientras tanto, no tiene que hacer nada más.',
  'Confirm your payment': 'Confirme su pago',
  'Your bank requires you to confirm the payment of {amount} for: {what}. Nothing is charged or changed until then.':
    'Su banco requiere que confirme el pago de {amount}. Concepto: {what}. Hasta entonces no se cobrará ni se cambiará nada.',
  'Confirm the payment': 'Confirmar el pago',
  'If you do not recognize this payment, do not confirm it, and look at the billing page of your account.':
    'Si no reconoce este pago, no lo confirme y consulte la página de facturación de su cuenta.',
  'Your card expires soon': 'Su tarjeta caduca pronto',
  'The {name} card ending in {last4} expires at the end of {month}. Save another one, so that your plan and automatic top-ups continue.':
    'La tarjeta {name} terminada en {last4} caduca a finales de {month}. Guarde otra para que su plan y las recargas automáticas continúen.',
  'Change the card': 'Cambiar la tarjeta',
  'Your bank may update a renewed card automatically.':
    'Es posible que su banco actualice automáticamente una tarjeta renovada.',
  '{plan} ended because it was not paid': '{plan} ha finalizado por falta de pago',
  'The current month of {plan} was not paid, or its payment was refunded or disputed, so the plan has ended after seven days. Its remaining credits can be spent until {until}. Credits that you bought keep their own date.':
    'El mes actual de {plan} no se pagó, o su pago se reembolsó o se disputó, por lo que el plan ha finalizado después de siete días. Los créditos restantes pueden utilizarse hasta el {until}. Los créditos que compró conservan su propia fecha.',
  'Choose a plan': 'Elegir un plan',
  'The open invoice was cancelled. You owe nothing.': 'La factura pendiente se ha cancelado. No debe nada.',
  'your card was declined': 'su tarjeta fue rechazada',
  'your bank requires you to confirm it': 'su banco requiere que lo confirme',
  'no card is saved': 'no hay ninguna tarjeta guardada',
  'it would exceed your limit for this month': 'superaría su límite de este mes',
  'our payment provider could not be reached': 'no se pudo contactar con nuestro proveedor de pagos',
  'The automatic top-up is now off.': 'La recarga automática está ahora desactivada.',
  'It continues next month (UTC).': 'Continuará el próximo mes (UTC).',
  'It will be tried again.': 'Se volverá a intentar.',
  'A payment was refunded or disputed.': 'Un pago se reembolsó o se disputó.',
  'The automatic purchase of {credits, plural, one {# credit} other {# credits}} for {amount} failed, because {reason}.':
    'La compra automática de {credits, plural, one {# crédito} other {# créditos}} por {amount} ha fallado. Motivo: {reason}.',
  'Your automatic top-up was switched off': 'Su recarga automática se ha desactivado',
  'Your automatic top-up failed': 'Su recarga automática ha fallado',
  'View billing': 'Ver la facturación',
  'Calls are refused once your credits are used up. You can buy credits on the billing page at any time.':
    'Las llamadas se rechazan cuando se agotan sus créditos. Puede comprar créditos en la página de facturación en cualquier momento.',
  'We refunded {amount} of your payment for {what}.': 'Hemos reembolsado {amount} de su pago de {what}.',
  'Your bank reported a dispute over {amount} of your payment for {what}.':
    'Su banco ha comunicado una disputa por {amount} de su pago de {what}.',
  'Your payment for {what} arrived after the plan had ended, so we refunded {amount}.':
    'Su pago de {what} llegó cuando el plan ya había finalizado, por lo que hemos reembolsado {amount}.',
  'You already had a plan when your payment for {what} arrived, so we refunded {amount}.':
    'Ya tenía un plan cuando llegó su pago de {what}, por lo que hemos reembolsado {amount}.',
  'Your plan had changed when your payment for {what} arrived, so we refunded {amount}.':
    'Su plan había cambiado cuando llegó su pago de {what}, por lo que hemos reembolsado {amount}.',
  '{credits, plural, one {# credit was} other {# credits were}} taken back.':
    '{credits, plural, one {Se ha retirado # crédito} other {Se han retirado # créditos}}.',
  'A payment was disputed': 'Se ha disputado un pago',
  'We refunded {amount}': 'Hemos reembolsado {amount}',
  'If you did not open this dispute, or have resolved it, contact us.':
    'Si no abrió esta disputa o ya la ha resuelto, póngase en contacto con nosotros.',
  'The refund usually arrives within 5 to 10 business days.':
    'El reembolso suele llegar en un plazo de 5 a 10 días hábiles.',
  '{credits, plural, one {# credits} other {# credits}}': '{credits, plural, one {# crédito} other {# créditos}}',
  'Upgrade to {plan}': 'Cambio a {plan}',
  'You are invited to {organization}': 'Le han invitado a {organization}',
  '{sender} invites you to join the organization {organization} with the role {role}. To accept, sign in or register with {email}. The link works once and for 7 days.':
    '{sender} le invita a unirse a la organización {organization} con el rol {role}. Para aceptar, inicie sesión o regístrese con {email}. El enlace funciona una sola vez y durante 7 días.',
  'Join the organization': 'Unirse a la organización',
  'If you do not know the sender, you can ignore this email.': 'Si no conoce al remitente, puede ignorar este correo.',
  'Buy credits': 'Comprar créditos',
  'View plans': 'Ver los planes',
  'You get this mail once in a billing month. Change alerts in the settings.':
    'Recibe este correo una vez por mes de facturación. Puede cambiar las alertas en la configuración.',
  'Your balance is below {credits, plural, one {# credits} other {# credits}}':
    'Su saldo es inferior a {credits, plural, one {# crédito} other {# créditos}}',
  'Less than {credits, plural, one {# credits} other {# credits}} are left.':
    'Quedan menos de {credits, plural, one {# crédito} other {# créditos}}.',
  'All your credits are used. Calls are refused until you buy credits, choose a larger plan, or the next month begins.':
    'Ha utilizado todos sus créditos. Las llamadas se rechazan hasta que compre créditos, elija un plan superior o comience el próximo mes.',
  'All your credits are used. Calls are refused until you choose a larger plan, or the next month begins.':
    'Ha utilizado todos sus créditos. Las llamadas se rechazan hasta que elija un plan superior o comience el próximo mes.',
  'Your credits are used up': 'Sus créditos se han agotado',
  'You have used {percent}% of the credits you had this month.':
    'Ha utilizado el {percent} % de los créditos que tenía este mes.',
  'You have used {percent}% of your credits': 'Ha utilizado el {percent} % de sus créditos',
  'You have used {percent} % of your spending cap': 'Ha alcanzado el {percent} % de su límite de gasto',
  'You have used {percent} % of the spending cap of this calendar month. At 100 % calls are refused until you raise the cap or the next month begins (UTC).':
    'Ha alcanzado el {percent} % del límite de gasto de este mes natural. Al llegar al 100 %, las llamadas se rechazan hasta que aumente el límite o comience el próximo mes (UTC).',
  'View the cap': 'Ver el límite',
  'You get this mail once in a calendar month. Change alerts in the settings.':
    'Recibe este correo una vez por mes natural. Puede cambiar las alertas en la configuración.',
  'At 100% its calls are refused until the limit resets.':
    'Al llegar al 100 %, sus llamadas se rechazan hasta que se restablezca el límite.',
  'The key {key} has used {percent}% of its spending limit.':
    'La clave {key} ha alcanzado el {percent} % de su límite de gasto.',
  'A key has used {percent}% of its spending limit.': 'Una clave ha alcanzado el {percent} % de su límite de gasto.',
  'A key has used {percent}% of its limit': 'Una clave ha alcanzado el {percent} % de su límite',
  'View keys': 'Ver las claves',
  'You get this mail once for each key and period. Change alerts in the settings.':
    'Recibe este correo una vez por clave y período. Puede cambiar las alertas en la configuración.',
  'You are now on {plan}': 'Su plan es ahora {plan}',
  'Your subscription to {plan} has begun. Its credits were added.':
    'Su suscripción a {plan} ha comenzado. Se han añadido sus créditos.',
  'The operators of the service changed your plan to {plan}.':
    'Los operadores del servicio han cambiado su plan a {plan}.',
  'Your plan was upgraded to {plan}. Its limits apply now, and the additional credits were added.':
    'Su plan se ha ampliado a {plan}. Sus límites ya se aplican y se han añadido los créditos adicionales.',
  'Your plan changes to {plan} on {on}': 'Su plan cambiará a {plan} el {on}',
  'Your plan changes to {plan} on {on}. Until then it stays as it is.':
    'Su plan cambiará a {plan} el {on}. Hasta entonces seguirá igual.',
  'You stay on {plan}': 'Continúa con {plan}',
  'The change of your plan was withdrawn. You stay on {plan}.':
    'El cambio de su plan se ha retirado. Continúa con {plan}.',
  'Your plan has changed to {plan}, as you had chosen.': 'Su plan ha cambiado a {plan}, tal como había elegido.',
  'Your previous plan has ended, and {plan} replaces it.': 'Su plan anterior ha finalizado y {plan} lo sustituye.',
  'You cancelled {plan}': 'Ha cancelado {plan}',
  'Your subscription to {plan} was cancelled. You keep its limits until {on}, and can resume it until then.':
    'Su suscripción a {plan} se ha cancelado. Conserva sus límites hasta el {on} y puede reanudarla hasta entonces.',
  '{plan} continues': '{plan} continúa',
  'Your subscription to {plan} was resumed and continues as before.':
    'Su suscripción a {plan} se ha reanudado y continúa como antes.',
  '{plan} was renewed': '{plan} se ha renovado',
  'A new month of {plan} has begun. Its credits were added.':
    'Ha comenzado un nuevo mes de {plan}. Se han añadido sus créditos.',
  'If you did not expect this, write to the operators of the service.':
    'Si no lo esperaba, escriba a los operadores del servicio.',
  'Your plan ends on {from}': 'Su plan finaliza el {from}',
  'The plan {plan} is no longer offered. Your subscription changes to {next} on {from}: {price} and {credits} per month.':
    'El plan {plan} ya no se ofrece. Su suscripción cambiará a {next} el {from}: {price} y {credits} al mes.',
  'Look at the plans': 'Consultar los planes',
  'Until then, your plan stays as it is. You can choose another one or cancel at any time.':
    'Hasta entonces, su plan seguirá igual. Puede elegir otro o cancelar en cualquier momento.',
  'Confirm your new email address': 'Confirme su nueva dirección de correo',
  'Somebody, most likely you, wants to use this address for their account. It changes once this link and the one that went to the present address are both confirmed. The link works for 24 hours.':
    'Alguien, muy probablemente usted, quiere utilizar esta dirección para su cuenta. El cambio se realizará cuando se confirmen este enlace y el enviado a la dirección actual. El enlace funciona durante 24 horas.',
  'Confirm or refuse': 'Confirmar o rechazar',
  'If it was not you, ignore this mail or refuse: without you nothing changes.':
    'Si no fue usted, ignore este correo o rechace el cambio: sin usted no cambia nada.',
  'Your email address has an account already': 'Su dirección de correo ya tiene una cuenta',
  'Somebody wanted to use this address for another account. As it has an account already, nothing changes.':
    'Alguien quiso utilizar esta dirección para otra cuenta. Como ya tiene una cuenta, no cambia nada.',
  'Sign in': 'Iniciar sesión',
  'If it was you, sign in with this address, or delete that account first. If it was not, there is nothing to do.':
    'Si fue usted, inicie sesión con esta dirección o elimine primero esa cuenta. Si no, no tiene que hacer nada.',
  'Confirm the change of your email address': 'Confirme el cambio de su dirección de correo',
  'Somebody who is signed in to your account, most likely you, wants to change its email address to {email}. It changes once this link and the one that went to the new address are both confirmed. The link works for 24 hours.':
    'Alguien con la sesión iniciada en su cuenta, muy probablemente usted, quiere cambiar la dirección de correo a {email}. El cambio se realizará cuando se confirmen este enlace y el enviado a la nueva dirección. El enlace funciona durante 24 horas.',
  'If it was not you, refuse, and choose another password: somebody else can sign in to your account.':
    'Si no fue usted, rechace el cambio y elija otra contraseña: otra persona puede iniciar sesión en su cuenta.',
  'Your email address was changed': 'Su dirección de correo se ha cambiado',
  'The email address of your account is now {email}, confirmed from both addresses. Sessions were signed out, and earlier links to reset the password no longer work.':
    'La dirección de correo de su cuenta es ahora {email}, confirmada desde ambas direcciones. Se han cerrado las sesiones, y los enlaces anteriores para restablecer la contraseña ya no funcionan.',
  'Go to the service': 'Ir al servicio',
  'If it was not you, write to the operators of the service.':
    'Si no fue usted, escriba a los operadores del servicio.',
  'Organization: {organization}': 'Organización: {organization}',
  'Hello {name},': 'Hola, {name}:',
  'Hello,': 'Hola:',
  'Choose which emails you get': 'Elegir qué correos recibe',
  Support: 'Soporte',
  Terms: 'Términos',
  Privacy: 'Privacidad',
  'Confirm your email address': 'Confirme su dirección de correo',
  'Please confirm your email address to activate your account. The link works for 24 hours.':
    'Confirme su dirección de correo para activar su cuenta. El enlace funciona durante 24 horas.',
  'Confirm address': 'Confirmar la dirección',
  'If you did not register, you can ignore this email: without confirmation the account cannot be used.':
    'Si no se registró, puede ignorar este correo: sin confirmación, la cuenta no puede utilizarse.',
  'Reset your password': 'Restablezca su contraseña',
  'Somebody, most likely you, requested a password reset for your account. The link works once and for 30 minutes.':
    'Alguien, muy probablemente usted, solicitó restablecer la contraseña de su cuenta. El enlace funciona una sola vez y durante 30 minutos.',
  'Choose a new password': 'Elegir una nueva contraseña',
  'If it was not you, you can ignore this email: your password stays as it is.':
    'Si no fue usted, puede ignorar este correo: su contraseña no cambia.',
  'Your password was changed': 'Su contraseña se ha cambiado',
  'The password of your account was changed just now, and other devices were signed out.':
    'La contraseña de su cuenta se acaba de cambiar y se ha cerrado la sesión en los demás dispositivos.',
  'That was not me': 'No fui yo',
  'If it was you, there is nothing to do.': 'Si fue usted, no tiene que hacer nada.',
  'Your account was deleted': 'Su cuenta se ha eliminado',
  'Your account was deleted: its keys stopped working immediately, and its data will be purged in 30 days.':
    'Su cuenta se ha eliminado: sus claves dejaron de funcionar de inmediato y sus datos se borrarán definitivamente en 30 días.',
  'If it was not you, write to the operators of the service within these 30 days.':
    'Si no fue usted, escriba a los operadores del servicio dentro de estos 30 días.',
  'Two-step sign-in was turned on': 'Se ha activado la verificación en dos pasos',
  'Signing in to your account now also needs a code from an authenticator app.':
    'Para iniciar sesión en su cuenta ahora también se necesita un código de una aplicación de autenticación.',
  'Two-step sign-in was turned off': 'Se ha desactivado la verificación en dos pasos',
  'Signing in to your account no longer needs a code from an authenticator app.':
    'Para iniciar sesión en su cuenta ya no se necesita un código de una aplicación de autenticación.',
  'A recovery code was used': 'Se ha utilizado un código de recuperación',
  'A recovery code of your account was used in place of a code from the authenticator app. It works no more.':
    'Se ha utilizado un código de recuperación de su cuenta en lugar de un código de la aplicación de autenticación. Ese código ya no es válido.',
  'A passkey was added': 'Se ha añadido una llave de acceso',
  'A passkey was added to your account, which can sign in without the password.':
    'Se ha añadido a su cuenta una llave de acceso, que permite iniciar sesión sin la contraseña.',
  'A passkey was removed': 'Se ha eliminado una llave de acceso',
  'A passkey was removed from your account, and can no longer sign in.':
    'Se ha eliminado una llave de acceso de su cuenta; ya no permite iniciar sesión.',
  'Check your settings': 'Revisar la configuración',
  'If it was not you, change your password immediately, and remove what you do not know from the settings.':
    'Si no fue usted, cambie su contraseña de inmediato y elimine de la configuración lo que no reconozca.',
  'an unknown program': 'un programa desconocido',
  '{program} on {system}': '{program} en {system}',
  'Your account was signed in to at {minute} with {client} on the machine of the service.':
    'Se inició sesión en su cuenta el {minute} con {client} en el equipo del servicio.',
  'Your account was signed in to at {minute} with {client}.': 'Se inició sesión en su cuenta el {minute} con {client}.',
  'Your account was signed in to at {minute} with {client} in {country}.':
    'Se inició sesión en su cuenta el {minute} con {client} (país: {country}).',
  'New sign-in to your account': 'Nuevo inicio de sesión en su cuenta',
  'This browser or program was not used with your account before.':
    'Este navegador o programa no se había utilizado antes con su cuenta.',
  'View your sessions': 'Ver sus sesiones',
  'If it was not you, end the session and change your password.':
    'Si no fue usted, cierre la sesión y cambie su contraseña.',
  'An API key was created': 'Se ha creado una clave de API',
  'The API key {key} was created at {minute}.': 'La clave de API {key} se creó el {minute}.',
  'If it was not you, revoke the key and change your password.':
    'Si no fue usted, revoque la clave y cambie su contraseña.',
  'Your account has an authenticator app, so nothing changes for you.':
    'Su cuenta tiene una aplicación de autenticación, por lo que nada cambia para usted.',
  'To keep your access, set up an authenticator app, or add a passkey and sign in with it.':
    'Para conservar su acceso, configure una aplicación de autenticación, o añada una llave de acceso e inicie sesión con ella.',
  '{organization} requires two-step sign-in': '{organization} requiere la verificación en dos pasos',
  'An owner of the organization now requires two-step sign-in of its members.':
    'Un propietario de la organización requiere ahora la verificación en dos pasos a sus miembros.',
  'Open your settings': 'Abrir la configuración',
  'API keys of the organization continue to work.': 'Las claves de API de la organización siguen funcionando.',
  'You are now an owner of {organization}': 'Ahora es propietario de {organization}',
  '{sender} made you an owner of the organization.': '{sender} le ha nombrado propietario de la organización.',
  'Owners manage members, API keys, the plan and payments, and can delete the organization.':
    'Los propietarios gestionan los miembros, las claves de API, el plan y los pagos, y pueden eliminar la organización.',
  'Open the organization': 'Abrir la organización',
  'If you did not expect this, contact that member, or leave the organization.':
    'Si no lo esperaba, póngase en contacto con ese miembro o abandone la organización.',
  owner: 'propietario',
  admin: 'administrador',
  developer: 'desarrollador',
  viewer: 'lector',
  billing: 'facturación',
};
