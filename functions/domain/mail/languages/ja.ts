/** Translations of the emails, by their English message. */
export const messages: Readonly<Record<string, string>> = {
  'unlimited credits': '無制限のクレジット',
  '{credits} credits': '{credits, number} クレジット',
  'as requested': 'ご依頼により',
  'because every delivery to it has failed for five days': '5 日間すべての配信に失敗したため、',
  'because it responded that it is gone (410)': '存在しないという応答 (410) があったため、',
  'Your webhook was disabled': 'Webhook が無効になりました',
  'The webhook at {host} was disabled {reason}. It receives no events until you enable it again.':
    '{host} の Webhook は{reason}無効になりました。再び有効にするまで、イベントは配信されません。',
  'View your webhooks': 'Webhook を表示',
  'Pending deliveries are kept for 30 days and sent once the webhook is enabled.':
    '保留中の配信は 30 日間保持され、Webhook が有効になると送信されます。',
  'We received your payment of {amount} for: {what}.': '{amount} のお支払いを受領しました。内容: {what}。',
  '{credits, plural, one {# credit was} other {# credits were}} added and can be spent until {until}.':
    '{credits, number} クレジットが追加されました。{until}まで使用できます。',
  'Receipt for {amount}': '{amount} の領収書',
  'View the receipt': '領収書を表示',
  'All payments and their invoices are on the billing page of your account.':
    'すべてのお支払いと請求書は、アカウントの請求ページで確認できます。',
  'Your payment for {plan} failed': '{plan} のお支払いに失敗しました',
  'We could not charge {amount} for the next month of {plan}. You keep the limits of the plan until {until}, without new credits. If it is not paid by then, the plan ends.':
    '{plan} の翌月分 {amount} を請求できませんでした。プランの制限は{until}まで維持されますが、新しいクレジットは追加されません。それまでにお支払いがない場合、プランは終了します。',
  'Pay or change the card': '支払うかカードを変更',
  'The charge will be tried again. If you pay in the meantime, there is nothing else to do.':
    '請求は再試行されます。その間にお支払いいただいた場合、ほかに必要な操作はありません。',
  'Confirm your payment': 'お支払いを確認してください',
  'Your bank requires you to confirm the payment of {amount} for: {what}. Nothing is charged or changed until then.':
    '{amount} のお支払いについて、銀行が確認を求めています。内容: {what}。確認が完了するまで、請求や変更は行われません。',
  'Confirm the payment': 'お支払いを確認',
  'If you do not recognize this payment, do not confirm it, and look at the billing page of your account.':
    'このお支払いに心当たりがない場合は、確認せずに、アカウントの請求ページをご覧ください。',
  'Your card expires soon': 'カードの有効期限がまもなく切れます',
  'The {name} card ending in {last4} expires at the end of {month}. Save another one, so that your plan and automatic top-ups continue.':
    '末尾が {last4} の {name} カードは {month} の末日に有効期限が切れます。プランと自動チャージを継続するには、別のカードを保存してください。',
  'Change the card': 'カードを変更',
  'Your bank may update a renewed card automatically.':
    '更新されたカードは、銀行によって自動的に反映される場合があります。',
  '{plan} ended because it was not paid': '{plan} はお支払いがなかったため終了しました',
  'The current month of {plan} was not paid, or its payment was refunded or disputed, so the plan has ended after seven days. Its remaining credits can be spent until {until}. Credits that you bought keep their own date.':
    '{plan} の当月分が支払われなかったか、お支払いが返金または異議申し立ての対象となったため、7 日後にプランが終了しました。残りのクレジットは{until}まで使用できます。購入したクレジットの期限は変わりません。',
  'Choose a plan': 'プランを選択',
  'The open invoice was cancelled. You owe nothing.':
    '未払いの請求書は取り消されました。お支払いいただく金額はありません。',
  'your card was declined': 'カードが拒否されました',
  'your bank requires you to confirm it': '銀行が確認を求めています',
  'no card is saved': 'カードが保存されていません',
  'it would exceed your limit for this month': '今月の上限を超えます',
  'our payment provider could not be reached': '決済サービスに接続できませんでした',
  'The automatic top-up is now off.': '自動チャージは現在オフです。',
  'It continues next month (UTC).': '来月（UTC）に再開されます。',
  'It will be tried again.': '再試行されます。',
  'A payment was refunded or disputed.': 'お支払いが返金されたか、異議申し立ての対象になりました。',
  'The automatic purchase of {credits, plural, one {# credit} other {# credits}} for {amount} failed, because {reason}.':
    '{credits, number} クレジット（{amount}）の自動購入に失敗しました。理由: {reason}。',
  'Your automatic top-up was switched off': '自動チャージがオフになりました',
  'Your automatic top-up failed': '自動チャージに失敗しました',
  'View billing': '請求を表示',
  'Calls are refused once your credits are used up. You can buy credits on the billing page at any time.':
    'クレジットを使い切ると、呼び出しは拒否されます。クレジットは請求ページでいつでも購入できます。',
  'We refunded {amount} of your payment for {what}.': '{what} のお支払いのうち {amount} を返金しました。',
  'Your bank reported a dispute over {amount} of your payment for {what}.':
    '{what} のお支払いのうち {amount} について、銀行から異議申し立ての報告がありました。',
  'Your payment for {what} arrived after the plan had ended, so we refunded {amount}.':
    '{what} のお支払いはプランの終了後に届いたため、{amount} を返金しました。',
  'You already had a plan when your payment for {what} arrived, so we refunded {amount}.':
    '{what} のお支払いが届いた時点ですでにプランをご利用中だったため、{amount} を返金しました。',
  'Your plan had changed when your payment for {what} arrived, so we refunded {amount}.':
    '{what} のお支払いが届いた時点でプランが変更されていたため、{amount} を返金しました。',
  '{credits, plural, one {# credit was} other {# credits were}} taken back.':
    '{credits, number} クレジットが差し引かれました。',
  'A payment was disputed': 'お支払いに異議申し立てがありました',
  'We refunded {amount}': '{amount} を返金しました',
  'If you did not open this dispute, or have resolved it, contact us.':
    'この異議申し立てに心当たりがない場合、またはすでに解決した場合は、お問い合わせください。',
  'The refund usually arrives within 5 to 10 business days.': '返金は通常 5～10 営業日以内に届きます。',
  '{credits, plural, one {# credits} other {# credits}}': '{credits, number} クレジット',
  'Upgrade to {plan}': '{plan} へのアップグレード',
  'You are invited to {organization}': '{organization} に招待されました',
  '{sender} invites you to join the organization {organization} with the role {role}. To accept, sign in or register with {email}. The link works once and for 7 days.':
    '{sender} さんが、組織 {organization} に{role}のロールで参加するよう招待しています。承諾するには、{email} でログインまたは登録してください。リンクは 1 回限り、7 日間有効です。',
  'Join the organization': '組織に参加',
  'If you do not know the sender, you can ignore this email.':
    '送信者に心当たりがない場合は、このメールを無視してください。',
  'Buy credits': 'クレジットを購入',
  'View plans': 'プランを表示',
  'You get this mail once in a billing month. Change alerts in the settings.':
    'このメールは請求月ごとに 1 回送信されます。アラートは設定で変更できます。',
  'Your balance is below {credits, plural, one {# credits} other {# credits}}':
    '残高が {credits, number} クレジットを下回りました',
  'Less than {credits, plural, one {# credits} other {# credits}} are left.':
    '残りは {credits, number} クレジット未満です。',
  'All your credits are used. Calls are refused until you buy credits, choose a larger plan, or the next month begins.':
    'クレジットをすべて使い切りました。クレジットを購入するか、上位のプランを選択するか、翌月になるまで、呼び出しは拒否されます。',
  'All your credits are used. Calls are refused until you choose a larger plan, or the next month begins.':
    'クレジットをすべて使い切りました。上位のプランを選択するか、翌月になるまで、呼び出しは拒否されます。',
  'Your credits are used up': 'クレジットを使い切りました',
  'You have used {percent}% of the credits you had this month.': '今月のクレジットの {percent}% を使用しました。',
  'You have used {percent}% of your credits': 'クレジットの {percent}% を使用しました',
  'You have used {percent} % of your spending cap': '支出上限の {percent}% に達しました',
  'You have used {percent} % of the spending cap of this calendar month. At 100 % calls are refused until you raise the cap or the next month begins (UTC).':
    '今暦月の支出上限の {percent}% に達しました。100% になると、上限を引き上げるか翌月（UTC）になるまで、呼び出しは拒否されます。',
  'View the cap': '上限を表示',
  'You get this mail once in a calendar month. Change alerts in the settings.':
    'このメールは暦月ごとに 1 回送信されます。アラートは設定で変更できます。',
  'At 100% its calls are refused until the limit resets.':
    '100% になると、制限がリセットされるまで、このキーの呼び出しは拒否されます。',
  'The key {key} has used {percent}% of its spending limit.': 'キー {key} は支出制限の {percent}% に達しました。',
  'A key has used {percent}% of its spending limit.': 'キーが支出制限の {percent}% に達しました。',
  'A key has used {percent}% of its limit': 'キーが制限の {percent}% に達しました',
  'View keys': 'キーを表示',
  'You get this mail once for each key and period. Change alerts in the settings.':
    'このメールはキーと期間ごとに 1 回送信されます。アラートは設定で変更できます。',
  'You are now on {plan}': 'プランが {plan} になりました',
  'Your subscription to {plan} has begun. Its credits were added.':
    '{plan} のサブスクリプションが開始されました。クレジットが追加されました。',
  'The operators of the service changed your plan to {plan}.': 'サービスの運営者がプランを {plan} に変更しました。',
  'Your plan was upgraded to {plan}. Its limits apply now, and the additional credits were added.':
    'プランが {plan} にアップグレードされました。新しい制限がすでに適用され、追加のクレジットが付与されました。',
  'Your plan changes to {plan} on {on}': '{on}にプランが {plan} に変わります',
  'Your plan changes to {plan} on {on}. Until then it stays as it is.':
    '{on}にプランが {plan} に変わります。それまでは現在のままです。',
  'You stay on {plan}': '{plan} を継続します',
  'The change of your plan was withdrawn. You stay on {plan}.': 'プランの変更が取り消されました。{plan} を継続します。',
  'Your plan has changed to {plan}, as you had chosen.': 'ご選択のとおり、プランが {plan} に変更されました。',
  'Your previous plan has ended, and {plan} replaces it.': '以前のプランが終了し、{plan} に切り替わりました。',
  'You cancelled {plan}': '{plan} を解約しました',
  'Your subscription to {plan} was cancelled. You keep its limits until {on}, and can resume it until then.':
    '{plan} のサブスクリプションが解約されました。制限は{on}まで維持され、それまでは再開できます。',
  '{plan} continues': '{plan} は継続されます',
  'Your subscription to {plan} was resumed and continues as before.':
    '{plan} のサブスクリプションが再開され、これまでどおり継続されます。',
  '{plan} was renewed': '{plan} が更新されました',
  'A new month of {plan} has begun. Its credits were added.':
    '{plan} の新しい月が始まりました。クレジットが追加されました。',
  'If you did not expect this, write to the operators of the service.':
    '心当たりがない場合は、サービスの運営者にご連絡ください。',
  'Your plan ends on {from}': 'プランは{from}に終了します',
  'The plan {plan} is no longer offered. Your subscription changes to {next} on {from}: {price} and {credits} per month.':
    'プラン {plan} の提供は終了しました。サブスクリプションは{from}に {next} に変わります: 月額 {price}、{credits}。',
  'Look at the plans': 'プランを見る',
  'Until then, your plan stays as it is. You can choose another one or cancel at any time.':
    'それまでは、プランは現在のままです。いつでも別のプランを選択するか、解約できます。',
  'Confirm your new email address': '新しいメールアドレスを確認してください',
  'Somebody, most likely you, wants to use this address for their account. It changes once this link and the one that went to the present address are both confirmed. The link works for 24 hours.':
    'どなたか（おそらくご本人）が、このアドレスをアカウントに使用しようとしています。このリンクと現在のアドレスに送信されたリンクの両方が確認されると、変更されます。リンクは 24 時間有効です。',
  'Confirm or refuse': '確認または拒否',
  'If it was not you, ignore this mail or refuse: without you nothing changes.':
    '心当たりがない場合は、このメールを無視するか、拒否してください。お客様の確認なしに変更されることはありません。',
  'Your email address has an account already': 'このメールアドレスのアカウントはすでに存在します',
  'Somebody wanted to use this address for another account. As it has an account already, nothing changes.':
    'どなたかが、このアドレスを別のアカウントに使用しようとしました。このアドレスのアカウントがすでに存在するため、変更はありません。',
  'Sign in': 'ログイン',
  'If it was you, sign in with this address, or delete that account first. If it was not, there is nothing to do.':
    'ご本人の場合は、このアドレスでログインするか、先にそのアカウントを削除してください。心当たりがない場合、必要な操作はありません。',
  'Confirm the change of your email address': 'メールアドレスの変更を確認してください',
  'Somebody who is signed in to your account, most likely you, wants to change its email address to {email}. It changes once this link and the one that went to the new address are both confirmed. The link works for 24 hours.':
    'アカウントにログインしているどなたか（おそらくご本人）が、メールアドレスを {email} に変更しようとしています。このリンクと新しいアドレスに送信されたリンクの両方が確認されると、変更されます。リンクは 24 時間有効です。',
  'If it was not you, refuse, and choose another password: somebody else can sign in to your account.':
    '心当たりがない場合は、拒否して、パスワードを変更してください。第三者がアカウントにログインできる状態です。',
  'Your email address was changed': 'メールアドレスが変更されました',
  'The email address of your account is now {email}, confirmed from both addresses. Sessions were signed out, and earlier links to reset the password no longer work.':
    'アカウントのメールアドレスは、両方のアドレスからの確認により {email} に変更されました。セッションはログアウトされ、以前のパスワード再設定リンクは無効になりました。',
  'Go to the service': 'サービスを開く',
  'If it was not you, write to the operators of the service.':
    '心当たりがない場合は、サービスの運営者にご連絡ください。',
  'Organization: {organization}': '組織: {organization}',
  'Hello {name},': '{name} 様',
  'Hello,': 'お客様',
  'Choose which emails you get': '受信するメールを選択',
  Support: 'サポート',
  Terms: '利用規約',
  Privacy: 'プライバシー',
  'Confirm your email address': 'メールアドレスを確認してください',
  'Please confirm your email address to activate your account. The link works for 24 hours.':
    'アカウントを有効にするには、メールアドレスを確認してください。リンクは 24 時間有効です。',
  'Confirm address': 'アドレスを確認',
  'If you did not register, you can ignore this email: without confirmation the account cannot be used.':
    '登録した覚えがない場合は、このメールを無視してください。確認されない限り、アカウントは使用できません。',
  'Reset your password': 'パスワードを再設定してください',
  'Somebody, most likely you, requested a password reset for your account. The link works once and for 30 minutes.':
    'どなたか（おそらくご本人）が、アカウントのパスワードの再設定をリクエストしました。リンクは 1 回限り、30 分間有効です。',
  'Choose a new password': '新しいパスワードを設定',
  'If it was not you, you can ignore this email: your password stays as it is.':
    '心当たりがない場合は、このメールを無視してください。パスワードは変更されません。',
  'Your password was changed': 'パスワードが変更されました',
  'The password of your account was changed just now, and other devices were signed out.':
    'アカウントのパスワードが変更され、ほかのデバイスはログアウトされました。',
  'That was not me': '心当たりがない場合',
  'If it was you, there is nothing to do.': 'ご本人による変更の場合、必要な操作はありません。',
  'Your account was deleted': 'アカウントが削除されました',
  'Your account was deleted: its keys stopped working immediately, and its data will be purged in 30 days.':
    'アカウントが削除されました。キーはただちに無効になり、データは 30 日後に完全に消去されます。',
  'If it was not you, write to the operators of the service within these 30 days.':
    '心当たりがない場合は、この 30 日以内にサービスの運営者にご連絡ください。',
  'Two-step sign-in was turned on': '2 段階認証がオンになりました',
  'Signing in to your account now also needs a code from an authenticator app.':
    'アカウントへのログインに、認証アプリのコードも必要になりました。',
  'Two-step sign-in was turned off': '2 段階認証がオフになりました',
  'Signing in to your account no longer needs a code from an authenticator app.':
    'アカウントへのログインに、認証アプリのコードは不要になりました。',
  'A recovery code was used': 'リカバリーコードが使用されました',
  'A recovery code of your account was used in place of a code from the authenticator app. It works no more.':
    '認証アプリのコードの代わりに、アカウントのリカバリーコードが使用されました。このコードはもう使用できません。',
  'A passkey was added': 'パスキーが追加されました',
  'A passkey was added to your account, which can sign in without the password.':
    'アカウントにパスキーが追加されました。このパスキーを使うと、パスワードなしでログインできます。',
  'A passkey was removed': 'パスキーが削除されました',
  'A passkey was removed from your account, and can no longer sign in.':
    'アカウントからパスキーが削除されました。このパスキーではログインできなくなりました。',
  'Check your settings': '設定を確認',
  'If it was not you, change your password immediately, and remove what you do not know from the settings.':
    '心当たりがない場合は、ただちにパスワードを変更し、見覚えのない項目を設定から削除してください。',
  'an unknown program': '不明なプログラム',
  '{program} on {system}': '{system} の {program}',
  'Your account was signed in to at {minute} with {client} on the machine of the service.':
    '{minute}に、サービスのマシン上の {client} からアカウントへのログインがありました。',
  'Your account was signed in to at {minute} with {client}.':
    '{minute}に、{client} からアカウントへのログインがありました。',
  'Your account was signed in to at {minute} with {client} in {country}.':
    '{minute}に、{country}の {client} からアカウントへのログインがありました。',
  'New sign-in to your account': 'アカウントへの新しいログイン',
  'This browser or program was not used with your account before.':
    'このブラウザーまたはプログラムは、これまでこのアカウントで使用されていません。',
  'View your sessions': 'セッションを表示',
  'If it was not you, end the session and change your password.':
    '心当たりがない場合は、セッションを終了し、パスワードを変更してください。',
  'An API key was created': 'API キーが作成されました',
  'The API key {key} was created at {minute}.': 'API キー {key} が{minute}に作成されました。',
  'If it was not you, revoke the key and change your password.':
    '心当たりがない場合は、キーを無効化し、パスワードを変更してください。',
  'Your account has an authenticator app, so nothing changes for you.':
    'アカウントに認証アプリが設定されているため、変更はありません。',
  'To keep your access, set up an authenticator app, or add a passkey and sign in with it.':
    'アクセスを維持するには、認証アプリを設定するか、パスキーを追加してログインしてください。',
  '{organization} requires two-step sign-in': '{organization} で 2 段階認証が必須になりました',
  'An owner of the organization now requires two-step sign-in of its members.':
    '組織のオーナーが、メンバーのログインに 2 段階認証を必須にしました。',
  'Open your settings': '設定を開く',
  'API keys of the organization continue to work.': '組織の API キーは引き続き機能します。',
  'You are now an owner of {organization}': '{organization} のオーナーになりました',
  '{sender} made you an owner of the organization.': '{sender} さんがあなたを組織のオーナーにしました。',
  'Owners manage members, API keys, the plan and payments, and can delete the organization.':
    'オーナーは、メンバー、API キー、プラン、支払いを管理し、組織を削除できます。',
  'Open the organization': '組織を開く',
  'If you did not expect this, contact that member, or leave the organization.':
    '心当たりがない場合は、このメンバーに連絡するか、組織から退出してください。',
  owner: 'オーナー',
  admin: '管理者',
  developer: '開発者',
  viewer: '閲覧者',
  billing: '請求',
};
