/** Translations of the emails, by their English message. */
export const messages: Readonly<Record<string, string>> = {
  'unlimited credits': 'unbegrenzte Credits',
  '{credits} credits': '{credits, plural, one {# Credit} other {# Credits}}',
  'as requested': 'wie gewünscht',
  'because every delivery to it has failed for five days':
    'nach fünf Tagen mit ausschließlich fehlgeschlagenen Zustellungen',
  'because it responded that it is gone (410)': 'aufgrund der Antwort, dass er nicht mehr existiert (410),',
  'Your webhook was disabled': 'Ihr Webhook wurde deaktiviert',
  'The webhook at {host} was disabled {reason}. It receives no events until you enable it again.':
    'Der Webhook unter {host} wurde {reason} deaktiviert. Er empfängt keine Ereignisse, bis Sie ihn wieder aktivieren.',
  'View your webhooks': 'Webhooks ansehen',
  'Pending deliveries are kept for 30 days and sent once the webhook is enabled.':
    'Ausstehende Zustellungen werden 30 Tage aufbewahrt und gesendet, sobald der Webhook wieder aktiviert ist.',
  'We received your payment of {amount} for: {what}.':
    'Wir haben Ihre Zahlung von {amount} erhalten. Verwendungszweck: {what}.',
  '{credits, plural, one {# credit was} other {# credits were}} added and can be spent until {until}.':
    '{credits, plural, one {# Credit wurde} other {# Credits wurden}} gutgeschrieben, einlösbar bis zum {until}.',
  'Receipt for {amount}': 'Beleg über {amount}',
  'View the receipt': 'Beleg ansehen',
  'All payments and their invoices are on the billing page of your account.':
    'Alle Zahlungen und Rechnungen finden Sie auf der Abrechnungsseite Ihres Kontos.',
  'Your payment for {plan} failed': 'Ihre Zahlung für {plan} ist fehlgeschlagen',
  'We could not charge {amount} for the next month of {plan}. You keep the limits of the plan until {until}, without new credits. If it is not paid by then, the plan ends.':
    'Wir konnten {amount} für den nächsten Monat von {plan} nicht abbuchen. Die Limits des Tarifs behalten Sie bis zum {until}, jedoch ohne neue Credits. Wenn bis dahin keine Zahlung eingeht, endet der Tarif.',
  'Pay or change the card': 'Bezahlen oder Karte ändern',
  'The charge will be tried again. If you pay in the meantime, there is nothing else to do.':
    'Die Abbuchung wird erneut versucht. Wenn Sie in der Zwischenzeit bezahlen, müssen Sie nichts weiter tun.',
  'Confirm your payment': 'Bestätigen Sie Ihre Zahlung',
  'Your bank requires you to confirm the payment of {amount} for: {what}. Nothing is charged or changed until then.':
    'Ihre Bank verlangt, dass Sie die Zahlung von {amount} bestätigen. Verwendungszweck: {what}. Bis dahin wird nichts abgebucht oder geändert.',
  'Confirm the payment': 'Zahlung bestätigen',
  'If you do not recognize this payment, do not confirm it, and look at the billing page of your account.':
    'Wenn Sie diese Zahlung nicht kennen, bestätigen Sie sie nicht und prüfen Sie die Abrechnungsseite Ihres Kontos.',
  'Your card expires soon': 'Ihre Karte läuft bald ab',
  'The {name} card ending in {last4} expires at the end of {month}. Save another one, so that your plan and automatic top-ups continue.':
    'Die {name}-Karte mit den Endziffern {last4} läuft Ende {month} ab. Hinterlegen Sie eine andere Karte, damit Ihr Tarif und automatische Aufladungen weiterlaufen.',
  'Change the card': 'Karte ändern',
  'Your bank may update a renewed card automatically.':
    'Möglicherweise aktualisiert Ihre Bank eine erneuerte Karte automatisch.',
  '{plan} ended because it was not paid': '{plan} wurde mangels Zahlung beendet',
  'The current month of {plan} was not paid, or its payment was refunded or disputed, so the plan has ended after seven days. Its remaining credits can be spent until {until}. Credits that you bought keep their own date.':
    'Der aktuelle Monat von {plan} wurde nicht bezahlt, oder die Zahlung wurde erstattet oder angefochten. Deshalb wurde der Tarif nach sieben Tagen beendet. Die verbleibenden Credits können bis zum {until} genutzt werden. Gekaufte Credits behalten ihr eigenes Datum.',
  'Choose a plan': 'Tarif auswählen',
  'The open invoice was cancelled. You owe nothing.': 'Die offene Rechnung wurde storniert. Sie schulden nichts.',
  'your card was declined': 'Ihre Karte wurde abgelehnt',
  'your bank requires you to confirm it': 'Ihre Bank verlangt Ihre Bestätigung',
  'no card is saved': 'Es ist keine Karte hinterlegt',
  'it would exceed your limit for this month': 'Ihr Limit für diesen Monat würde überschritten',
  'our payment provider could not be reached': 'Unser Zahlungsanbieter war nicht erreichbar',
  'The automatic top-up is now off.': 'Die automatische Aufladung ist jetzt deaktiviert.',
  'It continues next month (UTC).': 'Sie wird nächsten Monat fortgesetzt (UTC).',
  'It will be tried again.': 'Es wird erneut versucht.',
  'A payment was refunded or disputed.': 'Eine Zahlung wurde erstattet oder angefochten.',
  'The automatic purchase of {credits, plural, one {# credit} other {# credits}} for {amount} failed, because {reason}.':
    'Der automatische Kauf von {credits, plural, one {# Credit} other {# Credits}} für {amount} ist fehlgeschlagen. Grund: {reason}.',
  'Your automatic top-up was switched off': 'Ihre automatische Aufladung wurde deaktiviert',
  'Your automatic top-up failed': 'Ihre automatische Aufladung ist fehlgeschlagen',
  'View billing': 'Abrechnung ansehen',
  'Calls are refused once your credits are used up. You can buy credits on the billing page at any time.':
    'Aufrufe werden abgelehnt, sobald Ihre Credits aufgebraucht sind. Sie können jederzeit auf der Abrechnungsseite Credits kaufen.',
  'We refunded {amount} of your payment for {what}.': 'Wir haben {amount} Ihrer Zahlung für {what} erstattet.',
  'Your bank reported a dispute over {amount} of your payment for {what}.':
    'Ihre Bank hat eine Anfechtung über {amount} Ihrer Zahlung für {what} gemeldet.',
  'Your payment for {what} arrived after the plan had ended, so we refunded {amount}.':
    'Ihre Zahlung für {what} ging ein, nachdem der Tarif geendet hatte. Deshalb haben wir {amount} erstattet.',
  'You already had a plan when your payment for {what} arrived, so we refunded {amount}.':
    'Sie hatten bereits einen Tarif, als Ihre Zahlung für {what} einging. Deshalb haben wir {amount} erstattet.',
  'Your plan had changed when your payment for {what} arrived, so we refunded {amount}.':
    'Ihr Tarif hatte sich geändert, als Ihre Zahlung für {what} einging. Deshalb haben wir {amount} erstattet.',
  '{credits, plural, one {# credit was} other {# credits were}} taken back.':
    '{credits, plural, one {# Credit wurde} other {# Credits wurden}} zurückgenommen.',
  'A payment was disputed': 'Eine Zahlung wurde angefochten',
  'We refunded {amount}': 'Wir haben {amount} erstattet',
  'If you did not open this dispute, or have resolved it, contact us.':
    'Wenn Sie die Zahlung nicht angefochten haben oder der Fall bereits geklärt ist, kontaktieren Sie uns.',
  'The refund usually arrives within 5 to 10 business days.':
    'Die Erstattung trifft in der Regel innerhalb von 5 bis 10 Werktagen ein.',
  '{credits, plural, one {# credits} other {# credits}}': '{credits, plural, one {# Credit} other {# Credits}}',
  'Upgrade to {plan}': 'Upgrade auf {plan}',
  'You are invited to {organization}': 'Sie sind zu {organization} eingeladen',
  '{sender} invites you to join the organization {organization} with the role {role}. To accept, sign in or register with {email}. The link works once and for 7 days.':
    '{sender} lädt Sie ein, der Organisation {organization} mit der Rolle {role} beizutreten. Um anzunehmen, melden Sie sich mit {email} an oder registrieren Sie sich damit. Der Link funktioniert einmal und 7 Tage lang.',
  'Join the organization': 'Der Organisation beitreten',
  'If you do not know the sender, you can ignore this email.':
    'Wenn Sie den Absender nicht kennen, können Sie diese E-Mail ignorieren.',
  'Buy credits': 'Credits kaufen',
  'View plans': 'Tarife ansehen',
  'You get this mail once in a billing month. Change alerts in the settings.':
    'Sie erhalten diese E-Mail einmal pro Abrechnungsmonat. Warnungen ändern Sie in den Einstellungen.',
  'Your balance is below {credits, plural, one {# credits} other {# credits}}':
    'Ihr Guthaben liegt unter {credits, plural, one {# Credit} other {# Credits}}',
  'Less than {credits, plural, one {# credits} other {# credits}} are left.':
    'Es {credits, plural, one {ist weniger als # Credit} other {sind weniger als # Credits}} übrig.',
  'All your credits are used. Calls are refused until you buy credits, choose a larger plan, or the next month begins.':
    'Alle Ihre Credits sind aufgebraucht. Aufrufe werden abgelehnt, bis Sie Credits kaufen, einen größeren Tarif wählen oder der nächste Monat beginnt.',
  'All your credits are used. Calls are refused until you choose a larger plan, or the next month begins.':
    'Alle Ihre Credits sind aufgebraucht. Aufrufe werden abgelehnt, bis Sie einen größeren Tarif wählen oder der nächste Monat beginnt.',
  'Your credits are used up': 'Ihre Credits sind aufgebraucht',
  'You have used {percent}% of the credits you had this month.':
    'Sie haben {percent} % Ihrer Credits dieses Monats verbraucht.',
  'You have used {percent}% of your credits': 'Sie haben {percent} % Ihrer Credits verbraucht',
  'You have used {percent} % of your spending cap': 'Sie haben {percent} % Ihrer Ausgabenobergrenze erreicht',
  'You have used {percent} % of the spending cap of this calendar month. At 100 % calls are refused until you raise the cap or the next month begins (UTC).':
    'Sie haben {percent} % der Ausgabenobergrenze dieses Kalendermonats erreicht. Bei 100 % werden Aufrufe abgelehnt, bis Sie die Obergrenze anheben oder der nächste Monat beginnt (UTC).',
  'View the cap': 'Obergrenze ansehen',
  'You get this mail once in a calendar month. Change alerts in the settings.':
    'Sie erhalten diese E-Mail einmal pro Kalendermonat. Warnungen ändern Sie in den Einstellungen.',
  'At 100% its calls are refused until the limit resets.':
    'Bei 100 % werden seine Aufrufe abgelehnt, bis das Limit zurückgesetzt wird.',
  'The key {key} has used {percent}% of its spending limit.':
    'Der Schlüssel {key} hat {percent} % seines Ausgabenlimits erreicht.',
  'A key has used {percent}% of its spending limit.': 'Ein Schlüssel hat {percent} % seines Ausgabenlimits erreicht.',
  'A key has used {percent}% of its limit': 'Ein Schlüssel hat {percent} % seines Limits erreicht',
  'View keys': 'Schlüssel ansehen',
  'You get this mail once for each key and period. Change alerts in the settings.':
    'Sie erhalten diese E-Mail einmal pro Schlüssel und Zeitraum. Warnungen ändern Sie in den Einstellungen.',
  'You are now on {plan}': 'Ihr Tarif ist jetzt {plan}',
  'Your subscription to {plan} has begun. Its credits were added.':
    'Ihr Abonnement von {plan} hat begonnen. Die Credits wurden gutgeschrieben.',
  'The operators of the service changed your plan to {plan}.':
    'Die Betreiber des Dienstes haben Ihren Tarif auf {plan} geändert.',
  'Your plan was upgraded to {plan}. Its limits apply now, and the additional credits were added.':
    'Ihr Tarif wurde auf {plan} hochgestuft. Die neuen Limits gelten ab sofort, und die zusätzlichen Credits wurden gutgeschrieben.',
  'Your plan changes to {plan} on {on}': 'Ihr Tarif wechselt am {on} zu {plan}',
  'Your plan changes to {plan} on {on}. Until then it stays as it is.':
    'Ihr Tarif wechselt am {on} zu {plan}. Bis dahin bleibt er unverändert.',
  'You stay on {plan}': 'Sie bleiben bei {plan}',
  'The change of your plan was withdrawn. You stay on {plan}.':
    'Die Änderung Ihres Tarifs wurde zurückgenommen. Sie bleiben bei {plan}.',
  'Your plan has changed to {plan}, as you had chosen.': 'Ihr Tarif wurde wie von Ihnen gewählt auf {plan} geändert.',
  'Your previous plan has ended, and {plan} replaces it.':
    'Ihr bisheriger Tarif ist beendet und wird durch {plan} ersetzt.',
  'You cancelled {plan}': 'Sie haben {plan} gekündigt',
  'Your subscription to {plan} was cancelled. You keep its limits until {on}, and can resume it until then.':
    'Ihr Abonnement von {plan} wurde gekündigt. Die Limits behalten Sie bis zum {on}; bis dahin können Sie es fortsetzen.',
  '{plan} continues': '{plan} läuft weiter',
  'Your subscription to {plan} was resumed and continues as before.':
    'Ihr Abonnement von {plan} wurde wieder aufgenommen und läuft weiter wie bisher.',
  '{plan} was renewed': '{plan} wurde verlängert',
  'A new month of {plan} has begun. Its credits were added.':
    'Ein neuer Monat von {plan} hat begonnen. Die Credits wurden gutgeschrieben.',
  'If you did not expect this, write to the operators of the service.':
    'Wenn Sie dies nicht erwartet haben, schreiben Sie den Betreibern des Dienstes.',
  'Your plan ends on {from}': 'Ihr Tarif endet am {from}',
  'The plan {plan} is no longer offered. Your subscription changes to {next} on {from}: {price} and {credits} per month.':
    'Der Tarif {plan} wird nicht mehr angeboten. Ihr Abonnement wechselt am {from} zu {next}: {price} und {credits} pro Monat.',
  'Look at the plans': 'Tarife ansehen',
  'Until then, your plan stays as it is. You can choose another one or cancel at any time.':
    'Bis dahin bleibt Ihr Tarif unverändert. Sie können jederzeit einen anderen wählen oder kündigen.',
  'Confirm your new email address': 'Bestätigen Sie Ihre neue E-Mail-Adresse',
  'Somebody, most likely you, wants to use this address for their account. It changes once this link and the one that went to the present address are both confirmed. The link works for 24 hours.':
    'Jemand, höchstwahrscheinlich Sie, möchte diese Adresse für sein Konto verwenden. Die Änderung erfolgt, sobald dieser Link und der an die bisherige Adresse gesendete bestätigt sind. Der Link funktioniert 24 Stunden lang.',
  'Confirm or refuse': 'Bestätigen oder ablehnen',
  'If it was not you, ignore this mail or refuse: without you nothing changes.':
    'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail oder lehnen Sie ab: Ohne Sie ändert sich nichts.',
  'Your email address has an account already': 'Für Ihre E-Mail-Adresse gibt es bereits ein Konto',
  'Somebody wanted to use this address for another account. As it has an account already, nothing changes.':
    'Jemand wollte diese Adresse für ein anderes Konto verwenden. Da es dafür bereits ein Konto gibt, ändert sich nichts.',
  'Sign in': 'Anmelden',
  'If it was you, sign in with this address, or delete that account first. If it was not, there is nothing to do.':
    'Wenn Sie das waren, melden Sie sich mit dieser Adresse an oder löschen Sie zuerst jenes Konto. Andernfalls müssen Sie nichts tun.',
  'Confirm the change of your email address': 'Bestätigen Sie die Änderung Ihrer E-Mail-Adresse',
  'Somebody who is signed in to your account, most likely you, wants to change its email address to {email}. It changes once this link and the one that went to the new address are both confirmed. The link works for 24 hours.':
    'Jemand, der in Ihrem Konto angemeldet ist, höchstwahrscheinlich Sie, möchte dessen E-Mail-Adresse in {email} ändern. Die Änderung erfolgt, sobald dieser Link und der an die neue Adresse gesendete bestätigt sind. Der Link funktioniert 24 Stunden lang.',
  'If it was not you, refuse, and choose another password: somebody else can sign in to your account.':
    'Wenn Sie das nicht waren, lehnen Sie ab und wählen Sie ein anderes Passwort: Jemand anderes kann sich in Ihrem Konto anmelden.',
  'Your email address was changed': 'Ihre E-Mail-Adresse wurde geändert',
  'The email address of your account is now {email}, confirmed from both addresses. Sessions were signed out, and earlier links to reset the password no longer work.':
    'Die E-Mail-Adresse Ihres Kontos ist jetzt {email}; beide Adressen haben dies bestätigt. Sitzungen wurden abgemeldet, und frühere Links zum Zurücksetzen des Passworts funktionieren nicht mehr.',
  'Go to the service': 'Zum Dienst',
  'If it was not you, write to the operators of the service.':
    'Wenn Sie das nicht waren, schreiben Sie den Betreibern des Dienstes.',
  'Organization: {organization}': 'Organisation: {organization}',
  'Hello {name},': 'Hallo {name},',
  'Hello,': 'Hallo,',
  'Choose which emails you get': 'Auswählen, welche E-Mails Sie erhalten',
  Support: 'Support',
  Terms: 'Nutzungsbedingungen',
  Privacy: 'Datenschutz',
  'Confirm your email address': 'Bestätigen Sie Ihre E-Mail-Adresse',
  'Please confirm your email address to activate your account. The link works for 24 hours.':
    'Bitte bestätigen Sie Ihre E-Mail-Adresse, um Ihr Konto zu aktivieren. Der Link funktioniert 24 Stunden lang.',
  'Confirm address': 'Adresse bestätigen',
  'If you did not register, you can ignore this email: without confirmation the account cannot be used.':
    'Wenn Sie sich nicht registriert haben, können Sie diese E-Mail ignorieren: Ohne Bestätigung kann das Konto nicht genutzt werden.',
  'Reset your password': 'Setzen Sie Ihr Passwort zurück',
  'Somebody, most likely you, requested a password reset for your account. The link works once and for 30 minutes.':
    'Jemand, höchstwahrscheinlich Sie, hat angefordert, das Passwort Ihres Kontos zurückzusetzen. Der Link funktioniert einmal und 30 Minuten lang.',
  'Choose a new password': 'Neues Passwort wählen',
  'If it was not you, you can ignore this email: your password stays as it is.':
    'Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren: Ihr Passwort bleibt unverändert.',
  'Your password was changed': 'Ihr Passwort wurde geändert',
  'The password of your account was changed just now, and other devices were signed out.':
    'Das Passwort Ihres Kontos wurde soeben geändert, und andere Geräte wurden abgemeldet.',
  'That was not me': 'Das war ich nicht',
  'If it was you, there is nothing to do.': 'Wenn Sie das waren, müssen Sie nichts tun.',
  'Your account was deleted': 'Ihr Konto wurde gelöscht',
  'Your account was deleted: its keys stopped working immediately, and its data will be purged in 30 days.':
    'Ihr Konto wurde gelöscht: Seine Schlüssel funktionieren ab sofort nicht mehr, und seine Daten werden in 30 Tagen endgültig gelöscht.',
  'If it was not you, write to the operators of the service within these 30 days.':
    'Wenn Sie das nicht waren, schreiben Sie den Betreibern des Dienstes innerhalb dieser 30 Tage.',
  'Two-step sign-in was turned on': 'Die zweistufige Anmeldung wurde aktiviert',
  'Signing in to your account now also needs a code from an authenticator app.':
    'Für die Anmeldung in Ihrem Konto wird jetzt zusätzlich ein Code aus einer Authenticator-App benötigt.',
  'Two-step sign-in was turned off': 'Die zweistufige Anmeldung wurde deaktiviert',
  'Signing in to your account no longer needs a code from an authenticator app.':
    'Für die Anmeldung in Ihrem Konto wird kein Code aus einer Authenticator-App mehr benötigt.',
  'A recovery code was used': 'Ein Wiederherstellungscode wurde verwendet',
  'A recovery code of your account was used in place of a code from the authenticator app. It works no more.':
    'Anstelle eines Codes aus der Authenticator-App wurde ein Wiederherstellungscode Ihres Kontos verwendet. Er ist nicht mehr gültig.',
  'A passkey was added': 'Ein Passkey wurde hinzugefügt',
  'A passkey was added to your account, which can sign in without the password.':
    'Ihrem Konto wurde ein Passkey hinzugefügt, der die Anmeldung ohne Passwort ermöglicht.',
  'A passkey was removed': 'Ein Passkey wurde entfernt',
  'A passkey was removed from your account, and can no longer sign in.':
    'Ein Passkey wurde aus Ihrem Konto entfernt und kann nicht mehr zur Anmeldung verwendet werden.',
  'Check your settings': 'Einstellungen prüfen',
  'If it was not you, change your password immediately, and remove what you do not know from the settings.':
    'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort und entfernen Sie aus den Einstellungen alles, was Sie nicht kennen.',
  'an unknown program': 'einem unbekannten Programm',
  '{program} on {system}': '{program} unter {system}',
  'Your account was signed in to at {minute} with {client} on the machine of the service.':
    'In Ihrem Konto erfolgte am {minute} eine Anmeldung mit {client} auf dem Rechner des Dienstes.',
  'Your account was signed in to at {minute} with {client}.':
    'In Ihrem Konto erfolgte am {minute} eine Anmeldung mit {client}.',
  'Your account was signed in to at {minute} with {client} in {country}.':
    'In Ihrem Konto erfolgte am {minute} eine Anmeldung mit {client} (Land: {country}).',
  'New sign-in to your account': 'Neue Anmeldung in Ihrem Konto',
  'This browser or program was not used with your account before.':
    'Dieser Browser oder dieses Programm wurde mit Ihrem Konto bisher nicht verwendet.',
  'View your sessions': 'Sitzungen ansehen',
  'If it was not you, end the session and change your password.':
    'Wenn Sie das nicht waren, beenden Sie die Sitzung und ändern Sie Ihr Passwort.',
  'An API key was created': 'Ein API-Schlüssel wurde erstellt',
  'The API key {key} was created at {minute}.': 'Der API-Schlüssel {key} wurde am {minute} erstellt.',
  'If it was not you, revoke the key and change your password.':
    'Wenn Sie das nicht waren, widerrufen Sie den Schlüssel und ändern Sie Ihr Passwort.',
  'Your account has an authenticator app, so nothing changes for you.':
    'Ihr Konto hat eine Authenticator-App, daher ändert sich für Sie nichts.',
  'To keep your access, set up an authenticator app, or add a passkey and sign in with it.':
    'Um Ihren Zugang zu behalten, richten Sie eine Authenticator-App ein, oder fügen Sie einen Passkey hinzu und melden Sie sich damit an.',
  '{organization} requires two-step sign-in': '{organization} verlangt die zweistufige Anmeldung',
  'An owner of the organization now requires two-step sign-in of its members.':
    'Ein Inhaber der Organisation verlangt jetzt von den Mitgliedern die zweistufige Anmeldung.',
  'Open your settings': 'Einstellungen öffnen',
  'API keys of the organization continue to work.': 'API-Schlüssel der Organisation funktionieren weiterhin.',
  'You are now an owner of {organization}': 'Sie sind jetzt Inhaber von {organization}',
  '{sender} made you an owner of the organization.': '{sender} hat Sie zum Inhaber der Organisation gemacht.',
  'Owners manage members, API keys, the plan and payments, and can delete the organization.':
    'Inhaber verwalten Mitglieder, API-Schlüssel, den Tarif und Zahlungen und können die Organisation löschen.',
  'Open the organization': 'Organisation öffnen',
  'If you did not expect this, contact that member, or leave the organization.':
    'Wenn Sie damit nicht gerechnet haben, wenden Sie sich an dieses Mitglied, oder verlassen Sie die Organisation.',
  owner: 'Inhaber',
  admin: 'Admin',
  developer: 'Entwickler',
  viewer: 'Betrachter',
  billing: 'Abrechnung',
};
